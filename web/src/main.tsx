// SPDX-License-Identifier: GPL-3.0-or-later
import { render } from "preact";
import { App } from "./app";
import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/pages.css";

const root = document.getElementById("app");
if (root) render(<App />, root);
