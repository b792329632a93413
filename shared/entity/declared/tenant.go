package declared

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// ofOrganisation is the Tenant.Value that stands for the id of the organisation.
const ofOrganisation = "organisation"

// tenantValue returns the SQL of the tenant's value.
func (t *Type) tenantValue(kind *pgtable.Column) string {
	value := quoteText(t.declaration.Tenant.Value)
	if t.declaration.Tenant.Value == ofOrganisation {
		value = "current_organisation()"
	}
	if kind == nil {
		return value + "::text"
	}
	return fmt.Sprintf("(SELECT %s::text::%s)", value, baseType(kind))
}

// ofTenant returns the SQL condition that a column of any table holds the tenant.
func (t *Type) ofTenant(column string) string {
	return column + "::text = (SELECT " + t.tenantValue(nil) + ")"
}

// within returns the SQL condition that a row belongs to the tenant; "" if one organisation has the
// whole table.
func (t *Type) within(alias string) string {
	if t.tenant == nil {
		return ""
	}
	return fmt.Sprintf("%s.%s = %s", alias, entitytable.Quote(t.tenant.Name), t.tenantValue(t.tenant))
}
