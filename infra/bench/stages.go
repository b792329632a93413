package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// stages are the times of one import. The first six are consecutive and add up to the total; the
// last three are sums over all chunks, several of which are processed concurrently.
type stages struct {
	analyze time.Duration // from the upload to the columns, including the start of the workflow
	prepare time.Duration // until splitting starts: mappings and the workflow
	split   time.Duration // splitting the file
	wait    time.Duration // until the first chunk starts: messages and the queue
	process time.Duration // from the start of the first chunk to the end of the last one
	finish  time.Duration // until the job is COMPLETED

	decode, write, commit time.Duration
}

func (s stages) total() time.Duration {
	return s.analyze + s.prepare + s.split + s.wait + s.process + s.finish
}

// logLine holds the required parts of a function's log line.
type logLine struct {
	Time       time.Time `json:"time"`
	Message    string    `json:"msg"`
	Job        string    `json:"job_id"`
	DurationMS int64     `json:"duration_ms"`
	Chunks     int       `json:"chunks"`
	DecodeUS   int64     `json:"decode_us"`
	WriteUS    int64     `json:"write_us"`
	CommitUS   int64     `json:"commit_us"`
}

func (l *logLine) start() time.Time {
	return l.Time.Add(-time.Duration(l.DurationMS) * time.Millisecond)
}

// readStages computes the stages from the functions' log lines about the job. Lines appear a
// moment after the event that they report.
func (b *bench) readStages(ctx context.Context, id string, accepted, completed time.Time) (stages, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		analyzed, err := b.logLines("analyze", id, "file analysed")
		if err != nil {
			return stages{}, err
		}
		cut, err := b.logLines("split", id, "file split into chunks")
		if err != nil {
			return stages{}, err
		}
		chunks, err := b.logLines("process", id, "chunk written")
		if err != nil {
			return stages{}, err
		}
		if len(analyzed) == 1 && len(cut) == 1 && len(chunks) == cut[0].Chunks {
			return computeStages(accepted, completed, analyzed[0], cut[0], chunks), nil
		}
		select {
		case <-ctx.Done():
			return stages{}, errors.New("the functions' logs do not report all chunks: were some processed more than once?")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// computeStages computes the stages from the log lines about analysis, splitting and each chunk.
func computeStages(accepted, completed time.Time, analyzed, cut logLine, chunks []logLine) stages {
	first, last := chunks[0].start(), chunks[0].Time
	var s stages
	for i := range chunks {
		if began := chunks[i].start(); began.Before(first) {
			first = began
		}
		if chunks[i].Time.After(last) {
			last = chunks[i].Time
		}
		s.decode += time.Duration(chunks[i].DecodeUS) * time.Microsecond
		s.write += time.Duration(chunks[i].WriteUS) * time.Microsecond
		s.commit += time.Duration(chunks[i].CommitUS) * time.Microsecond
	}
	if last.After(completed) {
		last = completed // the last chunk is logged after its commit, which completes the job
	}
	s.analyze = analyzed.Time.Sub(accepted)
	s.prepare = cut.start().Sub(analyzed.Time)
	s.split = cut.Time.Sub(cut.start())
	s.wait = first.Sub(cut.Time)
	s.process = last.Sub(first)
	s.finish = completed.Sub(last)
	return s
}

// logLines returns a function's log lines about a job with the given message.
func (b *bench) logLines(function, id, message string) ([]logLine, error) {
	text, err := os.ReadFile(filepath.Join(b.dir, "logs", function+".log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) { // the first line creates the file
		return nil, fmt.Errorf("read log of %s: %w", function, err)
	}
	var found []logLine
	for entry := range bytes.Lines(text) {
		if !bytes.Contains(entry, []byte(message)) || !bytes.Contains(entry, []byte(id)) {
			continue
		}
		var l logLine
		if err := json.Unmarshal(entry, &l); err != nil {
			return nil, fmt.Errorf("what %s logged: %w", function, err)
		}
		if l.Message == message && l.Job == id {
			found = append(found, l)
		}
	}
	return found, nil
}
