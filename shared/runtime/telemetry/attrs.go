package telemetry

import "log/slog"

// attrs are attributes of which no two have the same key: a reader of JSON takes the
// first, the last, or neither of two, as it likes.
type attrs struct {
	attrs []slog.Attr
	index map[string]int
}

func newAttrs(first []slog.Attr) *attrs {
	a := &attrs{index: make(map[string]int)}
	a.set(first...)
	return a
}

// set adds attributes, or replaces those that have their keys. The keys that every line
// has of its own are not theirs to take.
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
