package demo

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// progressBar shows a job's progress: one line that is redrawn on a terminal, otherwise a line
// for every change of status.
type progressBar struct {
	out      io.Writer
	terminal bool
	status   string
}

func newProgressBar(out io.Writer) *progressBar {
	b := &progressBar{out: out}
	if f, ok := out.(*os.File); ok {
		info, err := f.Stat()
		b.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return b
}

const barWidth = 40

func (b *progressBar) show(j *rawclient.Job) {
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

func (b *progressBar) finish() {
	if b.terminal {
		fmt.Fprintln(b.out)
	}
}
