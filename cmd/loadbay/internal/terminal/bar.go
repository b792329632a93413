package terminal

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
)

// Bar is one line on a terminal that says how far something is. Where nobody watches, it
// writes a line now and then, so that a log shows that long work goes on.
type Bar struct {
	streams   *Streams
	lastDrawn time.Time // when last
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

// How often at most a bar is drawn, and a line is written where nobody watches.
const (
	redrawInterval = 100 * time.Millisecond
	logInterval    = 10 * time.Second
)

// Set draws the bar: what is done of total, with a remark behind it. total 0 is not known.
func (b *Bar) Set(title string, done, total int64, remark string) {
	wait := time.Since(b.lastDrawn)
	if b.streams.ErrIsTerminal && wait < redrawInterval && done < total || !b.streams.ErrIsTerminal && wait < logInterval {
		return
	}
	b.lastDrawn = time.Now()
	b.writeLine(b.line(title, done, total, remark))
}

// writeLine shows a line in the place of the last one.
func (b *Bar) writeLine(line string) {
	if line == b.lastLine {
		return
	}
	b.lastLine = line
	if !b.streams.ErrIsTerminal {
		fmt.Fprintln(b.streams.Err, strings.TrimSpace(line))
		return
	}
	fmt.Fprint(b.streams.Err, "\r"+line+clearToEnd)
}

// clearToEnd deletes what is on the line to the right.
const clearToEnd = "\x1b[K"

// barWidth is that of the drawn part, in columns.
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

// clip cuts a line to a width in columns, as a longer one would wrap and stay.
func clip(line string, width int) string {
	for lipgloss.Width(line) >= width {
		runes := []rune(line)
		line = string(runes[:len(runes)-1])
	}
	return line
}

// Done ends the line of the bar.
func (b *Bar) Done() {
	if b.streams.ErrIsTerminal && b.lastLine != "" {
		fmt.Fprintln(b.streams.Err)
	}
	b.lastLine = ""
}
