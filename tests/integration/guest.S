/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A "kernel" of a few hundred bytes in the bzImage format: writes console.txt to the first serial
 * port and results.txt to the second, then ends as END says: 0 powers off, 1 hangs, 2 resets,
 * 3 repeats the last console line for ever. Real mode only, so it boots wherever QEMU does.
 *
 *   as --32 -I DIR --defsym END=0 -o guest.o guest.S
 *   ld -m elf_i386 -Ttext=0 --oformat binary -o image guest.o
 */
	.code16
	.text
	.org	0x1f1
	.byte	127			/* setup sectors: all of it is setup */
	.org	0x1fe
	.word	0xaa55
	.byte	0xeb, start - 1f	/* the loader jumps here, with cs at this very byte */
1:	.ascii	"HdrS"
	.word	0x0204			/* protocol version */
	.org	0x211
	.byte	1			/* "loaded high" */
	.org	0x22c
	.long	0x37ffffff		/* the initrd may be anywhere */
	.org	0x240
start:
	mov	%cs, %ax
	mov	%ax, %ds
	cld
	mov	$0x3f8, %bx
	mov	$(console - 0x200), %si
	mov	$(console_end - console), %cx
	call	put
	mov	$0x2f8, %bx
	mov	$(results - 0x200), %si
	mov	$(results_end - results), %cx
	call	put
.if END == 0
	mov	$0x604, %dx		/* ACPI: sleep state 5 */
	mov	$0x2000, %ax
	out	%ax, %dx
.endif
.if END == 2
	mov	$0xcf9, %dx
	mov	$6, %al
	out	%al, %dx
.endif
.if END == 3
again:
	mov	$0x3f8, %bx
	mov	$(chatter - 0x200), %si
	mov	$(chatter_end - chatter), %cx
	call	put
	xor	%cx, %cx
3:	in	$0x80, %al		/* some time */
	loop	3b
	jmp	again
.endif
4:	hlt
	jmp	4b

put:					/* cx bytes at si to the port at bx */
	jcxz	6f
5:	lea	5(%bx), %dx
	in	%dx, %al
	test	$0x20, %al
	jz	5b
	mov	%bx, %dx
	lodsb
	out	%al, %dx
	loop	5b
6:	ret

chatter:
	.ascii	"still here\r\n"
chatter_end:
console:
	.incbin	"console.txt"
console_end:
results:
	.incbin	"results.txt"
results_end:
	.org	0x10000
	.fill	4096
