package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/shared/runtime/version"
)

// writeReport finishes the printed report and writes all figures as JSON.
func (b *bench) writeReport(cfg Config) error {
	if len(b.measurements) == 0 {
		return nil
	}
	goals := append(evaluateGoals(b.measurements), b.goals...)
	b.printStages()
	b.printGoals(goals)
	b.printLegend()
	b.printMemory()
	if cfg.Report == "" {
		return nil
	}
	text, err := json.MarshalIndent(map[string]any{
		"version": version.String(), "figures": b.measurements, "coldStarts": b.coldStartResults, "manyFiles": b.manyFilesResult, "goals": goals,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("bench: report: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(cfg.Report), 0o755); err != nil {
		return fmt.Errorf("bench: report: %w", err)
	}
	if err := os.WriteFile(cfg.Report, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("bench: report: %w", err)
	}
	_, err = fmt.Fprintln(b.out, "all figures, in nanoseconds and bytes:", cfg.Report)
	return err
}

// MarshalJSON writes a figure with its peers.
func (f measurement) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Rows      int           `json:"rows"`
		Subject   string        `json:"subject"`
		What      string        `json:"what"`
		Took      time.Duration `json:"took"`
		Usage     usage         `json:"usage"`
		OneCopy   time.Duration `json:"oneCopy"`
		TwoCopies time.Duration `json:"twoCopies"`
		Changes   int64         `json:"changeSet,omitempty"`
	}{f.Rows, f.Subject, f.What, f.took, f.usage, f.peers.singleCopy.took, f.peers.parallelCopy.took, f.Changes})
}
