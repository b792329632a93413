package terminal

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
)

// Bar is a progress line on a terminal. Without a terminal it writes a line from time to time,
// so that a log shows progress.
type Bar struct {
	streams   *Streams
	lastDrawn time.Time // time of the last update
	lastLine  string
}

// NewBar returns a bar on the streams' Err.
func NewBar(s *Streams) *Bar {
	b := &Bar{streams: s}
	if !s.ErrIsTerminal {
		b.lastDrawn = time.Now()
	}
	return b
}

// The minimum intervals between updates of the bar, and between log lines without a terminal.
const (
	redrawInterval = 100 * time.Millisecond
	logInterval    = 10 * time.Second
)

// Set draws the bar for done of total, followed by a remark. A total of 0 is unknown.
func (b *Bar) Set(title string, done, total int64, remark string) {
	wait := time.Since(b.lastDrawn)
	if b.streams.ErrIsTerminal && wait < redrawInterval && done < total || !b.streams.ErrIsTerminal && wait < logInterval {
		return
	}
	b.lastDrawn = time.Now()
	b.writeLine(b.line(title, done, total, remark))
}

// writeLine replaces the current line.
func (b *Bar) writeLine(line string) {
	if line == b.lastLine || b.streams.Quiet {
		return
	}
	b.lastLine = line
	if !b.streams.ErrIsTerminal {
		fmt.Fprintln(b.streams.Err, strings.TrimSpace(line))
		return
	}
	fmt.Fprint(b.streams.Err, "\r"+line+clearToEnd)
}

// clearToEnd clears the line to the right of the cursor.
const clearToEnd = "\x1b[K"

// barWidth is the width of the bar itself, in columns.
const barWidth = 24

func (b *Bar) line(title string, done, total int64, remark string) string {
	if total <= 0 {
		return clip(fmt.Sprintf("%s  %s", title, remark), b.streams.Width())
	}
	share := min(max(float64(done)/float64(total), 0), 1)
	if !b.streams.ErrIsTerminal {
		return fmt.Sprintf("%s %d %%  %s", title, int(share*100), remark)
	}
	full := int(share * barWidth)
	drawn := strings.Repeat("━", full) + strings.Repeat("┄", barWidth-full)
	return clip(fmt.Sprintf("%s %s %3d %%  %s", title, drawn, int(share*100), remark), b.streams.Width())
}

// clip cuts a line to a width in columns; a longer one would wrap and remain on the screen.
func clip(line string, width int) string {
	for lipgloss.Width(line) >= width {
		runes := []rune(line)
		line = string(runes[:len(runes)-1])
	}
	return line
}

// Clear removes the progress line, before a question.
func (b *Bar) Clear() {
	if b.streams.ErrIsTerminal && b.lastLine != "" {
		fmt.Fprint(b.streams.Err, "\r"+clearToEnd)
	}
	b.lastLine = ""
}

// Done ends the progress line.
func (b *Bar) Done() {
	if b.streams.ErrIsTerminal && b.lastLine != "" {
		fmt.Fprintln(b.streams.Err)
	}
	b.lastLine = ""
}
