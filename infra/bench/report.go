package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/shared/runtime/version"
)

// report ends what was printed, and writes all of it as JSON.
func (b *bench) report(cfg Config) error {
	if len(b.figures) == 0 {
		return nil
	}
	goals := append(goals(b.figures), b.goals...)
	b.whereTimeWent()
	b.verdicts(goals)
	b.legend()
	b.memory()
	if cfg.Report == "" {
		return nil
	}
	text, err := json.MarshalIndent(map[string]any{
		"version": version.String(), "figures": b.figures, "coldStarts": b.cold, "manyFiles": b.files, "goals": goals,
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
	_, err = fmt.Fprintln(b.out, "the same figures, in nanoseconds and bytes:", cfg.Report)
	return err
}

// MarshalJSON writes a figure with its peers.
func (f figure) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Rows      int           `json:"rows"`
		Subject   string        `json:"subject"`
		What      string        `json:"what"`
		Took      time.Duration `json:"took"`
		Usage     usage         `json:"usage"`
		OneCopy   time.Duration `json:"oneCopy"`
		TwoCopies time.Duration `json:"twoCopies"`
		Changes   int64         `json:"changeSet,omitempty"`
	}{f.Rows, f.Subject, f.What, f.took, f.usage, f.beside.one.took, f.beside.two.took, f.Changes})
}
