package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

// source is a file or a URL to import.
type source struct {
	flags *importFlags
	path  string
}

// batchFlags control how several files are imported.
type batchFlags struct {
	parallel int
	yes      bool
}

// defaultParallel is the default number of files that are imported at once.
const defaultParallel = 4

func (b *batchFlags) register(flags *pflag.FlagSet) {
	flags.IntVar(&b.parallel, "parallel", 0, fmt.Sprintf("maximum number of files to import at once (%d; 1 with a manifest)", defaultParallel))
}

// importAll imports files and returns the worst result. It continues after a failure, but not
// after Ctrl-C.
func (a *app) importAll(ctx context.Context, caller *client.Client, sources []source, batch batchFlags) error {
	a.neverAsk = batch.yes
	for _, s := range sources {
		if err := s.flags.resolveNames(ctx, caller); err != nil {
			return err
		}
	}
	if len(sources) == 1 {
		return a.importOne(ctx, caller, sources[0])
	}
	if batch.parallel < 0 {
		return usageError{errors.New("--parallel must be at least 1")}
	}
	a.several = true
	if len(a.format.Fields) > 0 {
		a.format.Fields = append(a.format.Fields, "file")
	}
	started := a.startAll(ctx, caller, sources, cmp.Or(batch.parallel, defaultParallel))
	var worst error
	for i, s := range sources {
		a.file = s.path
		err := a.finishStarted(ctx, caller, s, started[i])
		if ctx.Err() != nil {
			return a.interruptAll(caller, started, ctx.Err())
		}
		worst = worse(worst, a.reportFile(s.path, err))
	}
	if a.format.JSON() && !a.format.Lines {
		return errors.Join(a.format.Write(a.streams.Out, a.results), worst)
	}
	return worst
}

// importOne imports a single file.
func (a *app) importOne(ctx context.Context, caller *client.Client, s source) error {
	job, err := a.createImport(ctx, caller, s.flags, s.path)
	if err == nil {
		err = a.finishImport(ctx, caller, s, job)
	}
	return withFile(s.path, err)
}

// finishImport watches an import to its end, or as far as its flags say.
func (a *app) finishImport(ctx context.Context, caller *client.Client, s source, job *api.ImportJob) error {
	if s.flags.exitOnChanges && !s.flags.noWait {
		return a.watchPlan(ctx, caller, job.Identifier.String())
	}
	return a.watchCreated(ctx, caller, job, s.flags.noWait)
}

// withFile adds the name of a file to an error that has not been reported.
func withFile(path string, err error) error {
	if err == nil || errors.As(err, new(exitStatus)) {
		return err
	}
	var missing *fs.PathError
	if errors.As(err, &missing) && missing.Path == path {
		err = missing.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// startedImport is an import that runs while others are reported.
type startedImport struct {
	done chan struct{} // closed when the fields below are set
	job  *api.ImportJob
	err  error
}

// startAll imports the files in their order, some at once, until each has ended or has questions.
func (a *app) startAll(ctx context.Context, caller *client.Client, sources []source, parallel int) []*startedImport {
	silent := *a
	streams := *a.streams
	streams.Quiet, streams.CanAsk = true, false
	silent.streams = &streams
	started := make([]*startedImport, len(sources))
	for i := range sources {
		started[i] = &startedImport{done: make(chan struct{})}
	}
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range sources {
			next <- i
		}
	}()
	for range min(parallel, len(sources)) {
		go func() {
			for i := range next {
				started[i].run(ctx, &silent, caller, sources[i])
			}
		}()
	}
	return started
}

// run creates an import and waits until it has ended or has questions.
func (s *startedImport) run(ctx context.Context, silent *app, caller *client.Client, from source) {
	defer close(s.done)
	if s.err = ctx.Err(); s.err != nil {
		return
	}
	if s.job, s.err = silent.createImport(ctx, caller, from.flags, from.path); s.err != nil || from.flags.noWait {
		return
	}
	job, err := caller.Wait(ctx, s.job.Identifier.String(), nil)
	if s.err = err; err == nil {
		s.job = job
	}
}

// finishStarted waits for an import and reports its result or asks its questions.
func (a *app) finishStarted(ctx context.Context, caller *client.Client, s source, started *startedImport) error {
	bar := terminal.NewBar(a.streams)
	bar.Set("Importing ", 0, 0, s.path)
	<-started.done
	bar.Clear()
	if started.err != nil {
		return started.err
	}
	return a.finishImport(ctx, caller, s, started.job)
}

// reportFile prints an error of a file, and returns its exit status.
func (a *app) reportFile(path string, err error) error {
	if err == nil || errors.As(err, new(exitStatus)) {
		return err
	}
	text := a.describeError(withFile(path, err))
	a.report("%s", text)
	if a.format.JSON() {
		if err := a.printResult(map[string]string{"error": text}); err != nil {
			return err
		}
	}
	return exitStatus(exitFailed)
}

// severity orders the results of imports: pending work for a person is worse than a completed
// import.
var severity = map[exitStatus]int{exitChanges: 1, exitRowErrors: 2, exitPending: 3, exitFailed: 4}

// worse returns the worse of two results.
func worse(a, b error) error {
	var before, now exitStatus
	if b == nil || errors.As(a, &before) && errors.As(b, &now) && severity[now] <= severity[before] {
		return a
	}
	return b
}

// printResult prints the result of an import as JSON: at once, or with those of the other files.
func (a *app) printResult(value any) error {
	if !a.several {
		return a.format.Write(a.streams.Out, value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	result := map[string]any{}
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	result["file"] = a.file
	if a.format.Lines {
		return a.format.Write(a.streams.Out, result)
	}
	a.results = append(a.results, result)
	return nil
}

// interruptAll ends the command after Ctrl-C. It asks once whether to cancel the imports that run.
func (a *app) interruptAll(caller *client.Client, started []*startedImport, cause error) error {
	var running []string
	for _, s := range started {
		<-s.done
		if s.job != nil && !client.Ended(s.job) {
			running = append(running, s.job.Identifier.String())
		}
	}
	if len(running) == 0 {
		return cause
	}
	return a.handleInterrupt(caller, running, cause)
}
