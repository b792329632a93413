// Package terminal provides the standard streams of a command and reports whether a person uses
// them.
//
// Tested by infra/tests/cli: commands in a pseudo-terminal and in pipes.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are a command's standard streams.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// OutIsTerminal reports whether a person reads Out: tables are aligned and coloured for
	// people, and separated by tabs for programs.
	OutIsTerminal bool
	// ErrIsTerminal reports whether a person reads Err, where progress is drawn.
	ErrIsTerminal bool
	// CanAsk reports whether a person can answer questions.
	CanAsk bool
	// Plain asks questions without redrawing, for screen readers (ACCESSIBLE=1).
	Plain bool
	// Quiet suppresses progress and notes (--quiet).
	Quiet bool
}

// Standard returns the streams of the process. ask allows questions; plain asks them in plain
// lines.
func Standard(ask, plain bool) *Streams {
	in, out, err := isTerminal(os.Stdin), isTerminal(os.Stdout), isTerminal(os.Stderr)
	return &Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, OutIsTerminal: out, ErrIsTerminal: err,
		CanAsk: in && err && ask, Plain: plain,
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Width returns the terminal's width in columns; 80 if it is unknown.
func (s *Streams) Width() int {
	for _, w := range []io.Writer{s.Err, s.Out} {
		if f, ok := w.(*os.File); ok {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
				return width
			}
		}
	}
	return 80
}
