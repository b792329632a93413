package mapping_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/content"
)

// Minimum accuracy of the matching in each language, for single headers. Those that are held
// out from the vocabulary are found by similarity only; for these, precision matters.
const (
	minLanguagePrecision = 0.98
	minKnownRecall       = 0.98
	minOffered           = 0.85 // share of held-out headers for which a person is offered the right field
)

// minHeldOut is the minimum recall for held-out headers. Languages that write compounds as one
// word, or decline nouns, have fewer similar headers.
var minHeldOut = map[string]float64{"en": 0.45, "de": 0.10, "fr": 0.28, "es": 0.18, "nl": 0.10, "it": 0.25, "pl": 0.04, "pt": 0.15}

// languages are the languages of the vocabulary.
var languages = []string{"en", "de", "fr", "es", "nl", "it", "pl", "pt"}

// TestHeaderAccuracyInEightLanguages measures the matching of single headers, separately for
// those in the vocabulary and those held out from it.
func TestHeaderAccuracyInEightLanguages(t *testing.T) {
	t.Parallel()
	matchers, known := matchersByType(t), knownHeaders()
	byLanguage, offered := make(map[string]*[2]score), make(map[string]int)
	for _, line := range readTSV(t, "testdata/languages.tsv") {
		language, kind, header, want := line[0], line[1], line[2], target(line[3])
		if byLanguage[language] == nil {
			byLanguage[language] = &[2]score{}
		}
		got := matchers[kind].Match([]mapping.Column{{Header: header}})[0]
		of := &byLanguage[language][1]
		if known[kind+" "+mapping.HeaderKey(header)] {
			of = &byLanguage[language][0]
		}
		of.count(want, got)
		if of == &byLanguage[language][1] && want != "" && isOffered(matchers[kind], header, want) {
			offered[language]++
		}
		if got.Target != want && got.Target != "" {
			t.Logf("%s %s: %q means %q, matched to %q (%.2f, %s)", language, kind, header, want, got.Target, got.Confidence, got.Reason)
		}
	}
	require.Len(t, byLanguage, len(languages))
	for _, language := range languages {
		of := byLanguage[language]
		of[0].log(t, language+" known")
		of[1].log(t, language+" held out")
		all := of[0]
		all.add(of[1])
		require.GreaterOrEqual(t, all.precision(), minLanguagePrecision, language)
		require.GreaterOrEqual(t, of[0].recall(), minKnownRecall, language)
		require.GreaterOrEqual(t, of[1].recall(), minHeldOut[language], language)
		held := of[1].right + of[1].missed
		t.Logf("%s held out: %d of %d fields are suggested", language, offered[language], held)
		require.GreaterOrEqual(t, share(offered[language], held-offered[language]), minOffered, language)
		if language != "en" {
			require.Greater(t, held, (of[0].right+of[0].missed+held)/5, "%s: at least a fifth of the headers is held out", language)
		}
	}
}

// isOffered reports whether a person is offered the field for a header without values.
func isOffered(m *mapping.Matcher, header, want string) bool {
	return slices.ContainsFunc(m.RankTargets(header, &content.Summary{}, 5), func(g mapping.ScoredTarget) bool { return g.Target == want })
}

// knownHeaders returns the keys of all names and aliases, prefixed by the type.
func knownHeaders() map[string]bool {
	known := make(map[string]bool)
	for kind, d := range dictionaries() {
		for i := range d.Targets {
			t := &d.Targets[i]
			for _, header := range slices.Concat([]string{t.Name, t.Title}, t.Aliases) {
				known[kind+" "+mapping.HeaderKey(header)] = true
			}
		}
	}
	return known
}

// Typical lists of clubs and employers in France.
func TestFrenchListsAreMatched(t *testing.T) {
	t.Parallel()
	matchers := matchersByType(t)
	for kind, list := range map[string][][2]string{
		"USER": {
			{"Matricule", ""}, {"Nom complet", "NAME"}, {"Courriel professionnel", "EMAIL"}, {"Service", ""}, {"Profil", "ROLE"},
			{"Compte actif", "ACTIVE"}, {"Créé le", "CREATED_AT"}, {"Dernière modification", "UPDATED_AT"}, {"Temps de travail", ""},
		},
		"MEMBERSHIP": {
			{"N° d'adhérent", "MEMBERSHIP_NUMBER"}, {"Nom", "LAST_NAME"}, {"Prénom", "FIRST_NAME"}, {"Sexe (H/F)", "GENDER"}, {"Né(e) le", "BIRTH_DATE"},
			{"Courriel", "EMAIL"}, {"Portable", "PHONE"}, {"Nationalité", "ID_COUNTRY"}, {"Type d'adhésion", "MEMBERSHIP_TYPE_ID"}, {"Adhérent depuis", "JOINED_ON"},
		},
	} {
		var columns []mapping.Column
		var want []string
		for i, c := range list {
			columns, want = append(columns, mapping.Column{Index: i, Header: c[0]}), append(want, c[1])
		}
		matches := matchers[kind].Match(columns)
		require.Equal(t, want, targets(matches), kind)
		for _, m := range matches {
			require.Contains(t, []float64{0, 1}, m.Confidence, m.Column.Header)
		}
	}
}
