// Package result implements the import type RESULT: the results of an event's participants, with
// status, time and points. A sheet may list several categories below each other, each with a heading.
package result

import (
	_ "embed"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/points"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Type imports results.
type Type struct{}

// New returns the type.
func New() *Type { return &Type{} }

// headers holds the field headers in languages other than English.
//
//go:embed headers.txt
var headers string

// Declaration returns the fields and properties of the type.
func (*Type) Declaration() *entity.Declaration { return &declaration }

// Indexes of the fields in the declaration.
const (
	categoryName = iota
	sequence
	participant
	raceNumber
	position
	raceTime
	status
)

// participantVariant returns the headers for a content of the participant column, in English and
// in other languages.
func participantVariant(mode string, english ...string) entity.Variant {
	return entity.Variant{Option: "participantIdMode", Value: mode, Headers: append(english, entity.TranslatedHeaders(headers, "PARTICIPANT_ID "+mode)...)}
}

// finished is the status of participants who finished.
const finished = "FINISHED"

var declaration = entity.Declaration{
	Name: "RESULT", Resource: "results", Title: "Results",
	Subjects:      []string{"result", "participant", "rider", "runner"},
	WholeFile:     true,
	NoRetryReason: "the points and places of a category depend on all of its rows.",
	Modes:         []rowwrite.Mode{rowwrite.Upsert},
	Context:       &entity.Context{Param: "eventId", Title: "event", Table: "events"},
	Facade:        &entity.Facade{Upload: "/api/result-sets/import-bulk", Result: "/api/result-sets/import/{importId}"},
	Export: &entity.Export{
		Table: "results", Key: "id", Context: "event_id",
		Joins: "JOIN event_categories AS c ON c.organisation_id = e.organisation_id AND c.id = e.category_id",
	},
	Owner: &entity.Owner{Column: "participant_id", Table: "event_participants"},
	Options: []entity.Option{
		{Name: "participantIdMode", Title: "The content of the participant column: entry, registration number or person; unless stated, as its header says, else the entry", NoDefault: true, Values: []string{byEntry, byRegistration, byPerson}},
		entity.BoolOption("applyNumberChanges", "Whether simple changes of race numbers are applied to the entries", false),
		{Name: "complete", Title: "Whether participants who are not in the file lose their results in its categories", Values: []string{"false", "true"}, PerFile: true},
		{Name: "pointsCalculator", Title: "How points are calculated; unless stated, as the results of the category were", NoDefault: true, Values: standardCalculators(), ParseAlias: points.CodeOfClass, CustomQuery: customCalculator},
	},
	Fields: entity.WithTranslatedHeaders(headers, []entity.Field{
		categoryName: entity.EventCategoryField("c.name"),
		sequence: {Name: "SEQUENCE", Column: "sequence", Title: "Sequence", Kind: entity.Integer, Required: true, Min: "1",
			Concepts: []string{"result.sequence"}, Aliases: []string{"Seq", "Seq no", "Order"}},
		participant: {Name: "PARTICIPANT_ID", Column: "participant_id", Expr: "e.participant_id", Title: "Participant id", Kind: entity.Text, Identifying: true, Required: true, MaxLength: 50,
			Concepts: []string{"participant:record.id"}, Aliases: []string{"Participant"},
			Variants: []entity.Variant{
				participantVariant(byEntry, "EPID", "Event participant id", "Entry id"),
				participantVariant(byRegistration, "REGID", "Registration id", "Registration number", "Reg no"),
				participantVariant(byPerson, "PID", "Person id"),
			}},
		raceNumber: {Name: "RACE_NUMBER", Column: "race_number", Title: "Race number", Kind: entity.Text, Identifying: true, AllowedPlaceholders: []string{"0", "00", "000"}, MaxLength: 20, Personal: true,
			Concepts: []string{"entry.bib"}, Aliases: []string{"Bib", "Bib number", "Start number", "Number"}},
		position: {Name: "POSITION", Column: "position", Title: "Position", Kind: entity.Integer, Min: "1",
			Concepts: []string{"result.position"}, Aliases: []string{"Pos", "Place", "Rank"}},
		raceTime: {Name: "TIME", Column: "time", Expr: "to_char(make_interval(secs => e.time_ms / 1000.0), 'HH24:MI:SS.MS')", Title: "Time", Kind: entity.Text, MaxLength: 20, Pattern: `^([0-9]{1,3}:)?[0-5]?[0-9]:[0-5][0-9]([.,][0-9]{1,3})?$`, FormatHint: "hours, minutes and seconds: 1:02:03 or 2:03.45",
			Concepts: []string{"result.time"}, Aliases: []string{"Finish time", "Race time", "Net time", "Duration"}},
		status: {Name: "STATUS", Column: "status", Title: "Status", Kind: entity.Enum, Enum: []string{finished, "DNF", "DNS", "DSQ"}, Default: "'FINISHED'",
			Concepts: []string{"result.status", "record.status"}, Aliases: []string{"Result status", "Outcome"},
			Synonyms: []entity.Synonym{
				{Word: "ok", Value: finished}, {Word: "finish", Value: finished},
				{Word: "did not finish", Value: "DNF"}, {Word: "did not start", Value: "DNS"}, {Word: "disqualified", Value: "DSQ"},
			}},
	}),
}
