package submit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// resolveOptions replaces the names given for the type's options that have values of their
// own in each organisation; an unknown name is OPTION_INVALID.
func (s *Service) resolveOptions(ctx context.Context, tx pgx.Tx, r *Request) error {
	kept := make(map[string]json.RawMessage)
	if err := json.Unmarshal(r.Options, &kept); err != nil {
		return fmt.Errorf("read options: %w", err)
	}
	for i := range r.Type.Options {
		o := &r.Type.Options[i]
		if o.CustomQuery == "" || kept[o.Name] == nil {
			continue
		}
		if err := s.resolveOption(ctx, tx, o, kept); err != nil {
			return err
		}
	}
	text, err := json.Marshal(kept)
	r.Options = text
	return err
}

// resolveOption is resolveOptions for a single option.
func (s *Service) resolveOption(ctx context.Context, tx pgx.Tx, o *entity.Option, kept map[string]json.RawMessage) error {
	var text string
	if err := json.Unmarshal(kept[o.Name], &text); err != nil {
		return fmt.Errorf("read option %s: %w", o.Name, err)
	}
	own, err := s.store.OptionValue(ctx, tx, o.CustomQuery, text)
	switch {
	case err != nil:
		return err
	case own != "":
		text = own
	case !slices.Contains(o.Values, text):
		other, known := o.ParseAlias(text)
		if !known {
			return o.InvalidValueError()
		}
		text = other
	}
	kept[o.Name], err = json.Marshal(text)
	return err
}
