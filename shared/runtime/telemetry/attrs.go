package telemetry

import "log/slog"

// attrs are attributes with unique keys: for a duplicate key, JSON readers use the first, the
// last, or neither value.
type attrs struct {
	attrs []slog.Attr
	index map[string]int
}

func newAttrs(first []slog.Attr) *attrs {
	a := &attrs{index: make(map[string]int)}
	a.set(first...)
	return a
}

// set adds attributes and replaces those with the same keys. The reserved keys of log lines
// cannot be set.
func (a *attrs) set(more ...slog.Attr) {
	for _, attr := range more {
		switch attr.Key {
		case slog.TimeKey, slog.LevelKey, slog.MessageKey, slog.SourceKey:
			attr.Key += "_"
		}
		if i, there := a.index[attr.Key]; there {
			a.attrs[i] = attr
			continue
		}
		a.index[attr.Key] = len(a.attrs)
		a.attrs = append(a.attrs, attr)
	}
}
