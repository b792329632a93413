package demo

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// bar shows a job's progress: one line that is written over on a terminal, a
// line for every change of status elsewhere.
type bar struct {
	out      io.Writer
	terminal bool
	status   string
}

func newBar(out io.Writer) *bar {
	b := &bar{out: out}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		b.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return b
}

const barWidth = 40

func (b *bar) show(j *rawclient.Job) {
	if !b.terminal && j.Status == b.status && !j.Ended() {
		return
	}
	b.status = j.Status
	filled := barWidth * j.ProgressPercent / 100
	line := fmt.Sprintf("   [%s%s] %3d %%  %-14s %d rows", strings.Repeat("█", filled), strings.Repeat("·", barWidth-filled), j.ProgressPercent, j.Status, j.ProcessedRows)
	if b.terminal {
		fmt.Fprint(b.out, "\r"+line)
		return
	}
	fmt.Fprintln(b.out, line)
}

func (b *bar) end() {
	if b.terminal {
		fmt.Fprintln(b.out)
	}
}
