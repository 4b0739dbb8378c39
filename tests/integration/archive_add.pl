# SPDX-License-Identifier: GPL-3.0-or-later
# archive_add.pl INBOX ROTATE MAIL...: adds mails to a public-inbox as it would itself, in one go;
# with ROTATE the next epoch begins first where this one has as many bytes.
use strict;
use warnings;
use PublicInbox::Config;
use PublicInbox::Eml;
use PublicInbox::InboxWritable;

my ($name, $rotate, @files) = @ARGV;
my $inbox = PublicInbox::Config->new->lookup_name($name) or die "no inbox $name\n";
my $writer = PublicInbox::InboxWritable->new($inbox)->importer(0);
$writer->{rotate_bytes} = $rotate if $rotate;
for my $file (@files) {
	open my $in, '<', $file or die "$file: $!\n";
	my $mail = do { local $/; <$in> };
	$mail =~ s/\AFrom [^\n]*\n//;
	$writer->add(PublicInbox::Eml->new(\$mail)) or warn "$file is there already\n";
}
$writer->done;
