// Package catalog finds import types: the compiled ones, and those that organisations have declared.
package catalog

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/article"
	"github.com/loadbay/loadbay/shared/entity/comment"
	"github.com/loadbay/loadbay/shared/entity/event"
	"github.com/loadbay/loadbay/shared/entity/eventcategory"
	"github.com/loadbay/loadbay/shared/entity/eventparticipant"
	"github.com/loadbay/loadbay/shared/entity/membership"
	"github.com/loadbay/loadbay/shared/entity/order"
	"github.com/loadbay/loadbay/shared/entity/period"
	"github.com/loadbay/loadbay/shared/entity/result"
	"github.com/loadbay/loadbay/shared/entity/user"
)

// Catalog finds import types by name.
type Catalog struct {
	types    []entity.Type
	declared *declaredTypes // nil without a store
}

// New returns the catalogue of the compiled types.
func New() *Catalog {
	return &Catalog{types: []entity.Type{
		membership.New(),
		user.New(),
		article.New(),
		comment.New(),
		order.New(),
		eventparticipant.New(),
		result.New(),
		period.New(),
		event.New(),
		eventcategory.New(),
	}}
}

// Types returns the compiled types.
func (c *Catalog) Types() []entity.Type { return c.types }

// ByName returns the compiled type with the name that /api uses.
func (c *Catalog) ByName(name string) (entity.Type, bool) {
	return c.findType(func(d *entity.Declaration) bool { return d.Name == name })
}

// ByResource returns the compiled type with the name that /v1 uses.
func (c *Catalog) ByResource(resource string) (entity.Type, bool) {
	return c.findType(func(d *entity.Declaration) bool { return d.Resource == resource })
}

func (c *Catalog) findType(is func(*entity.Declaration) bool) (entity.Type, bool) {
	for _, t := range c.types {
		if is(t.Declaration()) {
			return t, true
		}
	}
	return nil, false
}
