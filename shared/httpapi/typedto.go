package httpapi

import (
	"time"

	"github.com/loadbay/loadbay/shared/entity/declared"
)

// typeSummary is the JSON form of a version of a declared type, without its declaration.
type typeSummary struct {
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Table     string     `json:"table"`
	Version   int        `json:"version"`
	SavedAt   time.Time  `json:"savedAt"`
	SavedBy   *string    `json:"savedBy"` // subject of the token
	CreatedAt time.Time  `json:"createdAt"`
	RetiredAt *time.Time `json:"retiredAt"` // of the type; null while it is in use
}

func toTypeSummary(v *declared.Version) typeSummary {
	return typeSummary{
		Name: v.Declaration.Name, Title: v.Declaration.Title, Table: v.Declaration.Target.Table, Version: v.Number,
		SavedAt: v.SavedAt.UTC(), SavedBy: nilIfZero(v.SavedBy), CreatedAt: v.CreatedAt.UTC(), RetiredAt: utcOrNil(v.RetiredAt),
	}
}

// declaredType is the JSON form of a version of a declared type.
type declaredType struct {
	typeSummary
	Fingerprint string                `json:"fingerprint"` // of the table when the version was saved
	Declaration *declared.Declaration `json:"declaration"`
}

func toDeclaredType(v *declared.Version) declaredType {
	return declaredType{toTypeSummary(v), v.Adopted.Fingerprint(), v.Declaration}
}
