#!/usr/bin/perl
# A tool host in Perl, with what every Perl brings: counts the words of a text, and of all texts so far.
#
# Requests come in on stdin and answers go out on stdout, one JSON object a line. Whatever else is to
# be said goes to stderr: stdout belongs to the protocol.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical;
STDOUT->autoflush(1);    # an answer that waits in a buffer is none

my $schema = {
    type     => 'function',
    function => {
        name        => 'count_words',
        description => 'Count the words of a text.',
        parameters  => {
            type       => 'object',
            properties => { text => { type => 'string' } },
        },
    },
};

sub say_line { print $json->encode(shift), "\n" }

# Each method returns the value of its answer and the state that goes back.
my %methods = (
    init             => sub { my $state = { total => 0 }; ($state, $state) },
    get_tool_schemas => sub { ([$schema], $_[1]{state}) },
    execute_tool     => sub {
        my ($id, $params) = @_;
        my ($arguments, $state) = @{$params}{qw(arguments state)};
        my $text = $arguments->{text} // '';
        return ({ success => JSON::PP::false, error => 'text has to be a string' }, $state) if ref $text;

        my ($words, $number) = (0, 0);
        for my $line (split /\n/, $text) {
            $words += my @found = split ' ', $line;
            my $part = { line => ++$number, words => scalar @found };
            say_line({ v => 1, id => $id, event => { type => 'part', payload => $part } });
        }
        my $total = ($state->{total} // 0) + $words;
        ({ success => JSON::PP::true, result => { words => $words, total => $total } },
            { %$state, total => $total });
    },
);

while (my $line = <STDIN>) {
    my $request = eval { $json->decode($line) };
    if (ref $request ne 'HASH' || !defined $request->{method}) {
        print STDERR "no request: $line";
        next;
    }
    my ($id, $method) = @{$request}{qw(id method)};
    my ($value, $state) = eval {
        my $code = $methods{$method} or die "MethodNotFound: there is no method '$method'\n";
        $code->($id, $request->{params} // {});
    };
    if (my $error = $@) {
        my ($type, $detail) = $error =~ /^(\w+): (.*)/ ? ($1, $2) : ('Error', $error);
        say_line({ v => 1, id => $id, ok => JSON::PP::false,
                error => { type => $type, detail => $detail, stack => '' } });
        next;
    }
    say_line({ v => 1, id => $id, ok => JSON::PP::true,
            result => { value => $value, state => $state } });
}
