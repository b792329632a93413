package mapping

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Meaning is what a header names: a concept, such as "person.givenName", of a role, such as
// "parent". Role is "" for the subject of the row itself, and Concept for a word that names only a
// role.
type Meaning struct{ Role, Concept string }

// ParseMeaning returns the meaning that a declaration writes as "role:concept" or "concept".
func ParseMeaning(text string) Meaning {
	role, concept, found := strings.Cut(text, ":")
	if !found {
		return Meaning{Concept: text}
	}
	return Meaning{Role: role, Concept: concept}
}

// String is the inverse of ParseMeaning.
func (m Meaning) String() string {
	if m.Role == "" {
		return m.Concept
	}
	return m.Role + ":" + m.Concept
}

// Concepts knows words in many languages. It is data that only some programs need: see package
// concept.
type Concepts interface {
	// Meanings returns the meanings of a HeaderKey, of one word or of several without gaps.
	Meanings(key string) []Meaning
}

// otherRole is the role of "Email 2": no target has it.
const otherRole = "other"

// minCompound is the minimum length in bytes of the parts of a compound: "Lieferort".
const minCompound = 4

// maxRoleWords is the maximum number of words that name a role: "in case of emergency".
const maxRoleWords = 5

// parser finds the meanings of headers.
type parser struct {
	concepts Concepts
	self     map[string]bool // roles that name the subject of the row
	subjects map[string]bool // words of the type for it
}

// newParser returns a parser for rows about the subjects.
func newParser(concepts Concepts, subjects []string) *parser {
	p := &parser{concepts: concepts, self: make(map[string]bool), subjects: make(map[string]bool)}
	if concepts == nil {
		return p
	}
	for _, s := range subjects {
		p.subjects[HeaderKey(s)] = true
		for _, role := range p.roles(HeaderKey(s)) {
			p.self[role] = true
		}
	}
	if p.self["person"] {
		p.self["member"], p.self["participant"] = true, true
	}
	return p
}

// parse returns the meanings of a header; nil if it is not understood completely.
func (p *parser) parse(h *header) []Meaning {
	if len(h.words) == 0 || len(h.words) > maxWords || len(h.key) > maxHeader {
		return nil
	}
	if found := p.phrase(h.words); found != nil {
		return found
	}
	var common []Meaning
	for i, part := range h.parts {
		found := p.phrase(part)
		if i == 0 {
			common = found
			continue
		}
		common = slices.DeleteFunc(slices.Clone(common), func(m Meaning) bool { return !slices.Contains(found, m) })
	}
	if len(common) == 0 {
		return nil
	}
	return common
}

// phrase returns the meanings of words: of all of them, of the words before the number 1, or of a
// role and a concept.
func (p *parser) phrase(words []string) []Meaning {
	if found := p.named(words); found != nil {
		return found
	}
	if last := len(words) - 1; last > 0 && len(words[last]) == 1 && startsWithDigit(words[last]) {
		found := p.phrase(words[:last])
		if words[last] == "1" {
			return found
		}
		return inRole(found, otherRole)
	}
	if found := p.roleAndConcept(words); found != nil {
		return found
	}
	if len(words) == 1 {
		return p.compound(words[0])
	}
	return nil
}

// named returns the meanings of words that name a concept together.
func (p *parser) named(words []string) []Meaning {
	if found := p.lookup(joinWords(words)); found != nil {
		return found
	}
	content, dropped := withoutFillers(words)
	if dropped == 0 {
		return nil
	}
	return p.lookup(joinWords(content))
}

// lookup returns the concepts with that name.
func (p *parser) lookup(key string) []Meaning {
	var found []Meaning
	for _, m := range p.concepts.Meanings(key) {
		if m.Concept != "" {
			found = append(found, p.ofSubject(m))
		}
	}
	return found
}

// roles returns the roles with that name.
func (p *parser) roles(key string) (found []string) {
	for _, m := range p.concepts.Meanings(key) {
		if m.Concept == "" {
			found = append(found, m.Role)
		}
	}
	return found
}

// ofSubject drops a role that is the subject of the row.
func (p *parser) ofSubject(m Meaning) Meaning {
	if p.self[m.Role] {
		m.Role = ""
	}
	return m
}

// roleAndConcept returns the meanings of words that consist of a role and a concept, in any order:
// of the longest concept, then of concepts with two roles.
func (p *parser) roleAndConcept(words []string) []Meaning {
	for _, meanings := range []func([]string) []Meaning{p.named, p.roleAndConcept} {
		for n := 1; n <= min(maxRoleWords, len(words)-1); n++ {
			if found := p.combine(words[:n], words[n:], meanings); found != nil {
				return found
			}
			if found := p.combine(words[len(words)-n:], words[:len(words)-n], meanings); found != nil {
				return found
			}
		}
	}
	return nil
}

// combine returns the meanings of the concept that one phrase names, in the roles that the other
// one names.
func (p *parser) combine(role, concept []string, meanings func([]string) []Meaning) (found []Meaning) {
	role, _ = withoutFillers(role)
	roles := p.roles(joinWords(role))
	if len(roles) == 0 {
		return nil
	}
	return p.inRoles(meanings(concept), roles)
}

// inRoles returns the meanings in each of the roles.
func (p *parser) inRoles(meanings []Meaning, roles []string) (found []Meaning) {
	for _, role := range roles {
		if p.self[role] {
			role = ""
		}
		found = append(found, inRole(meanings, role)...)
	}
	return found
}

// inRole returns the meanings in a role; those that already have another one get a role that no
// target has.
func inRole(meanings []Meaning, role string) []Meaning {
	found := slices.Clone(meanings)
	for i := range found {
		switch {
		case found[i].Role == "":
			found[i].Role = role
		case role != "" && found[i].Role != role:
			found[i].Role += "/" + role
		}
	}
	return found
}

// compound returns the meanings of a word that consists of a role and a concept without a gap, as in
// German, Swedish, Japanese: "Lieferort".
func (p *parser) compound(word string) []Meaning {
	for i := len(word) - minCompound; i >= minCompound; i-- {
		if !utf8.RuneStart(word[i]) {
			continue
		}
		if found := p.joined(word[:i], word[i:]); found != nil {
			return found
		}
		if found := p.joined(word[i:], word[:i]); found != nil {
			return found
		}
	}
	return nil
}

func (p *parser) joined(role, concept string) []Meaning {
	roles := p.roles(role)
	if len(roles) == 0 {
		return nil
	}
	return p.inRoles(p.lookup(concept), roles)
}

// conceptRank is the rank of a name of a target's first concept: after all aliases.
const conceptRank = 30

// byMeaning returns the targets that a header means, and whether it is understood: then it means
// nothing else.
func (ix *index) byMeaning(forms []header) (found []candidate, understood bool) {
	if ix.parser.concepts == nil {
		return nil, false
	}
	for i := range forms {
		meanings := ix.parser.parse(&forms[i])
		understood = understood || slices.ContainsFunc(meanings, Meaning.isSpecific)
		distance := ix.parser.distance(&forms[i])
		for t := range ix.targets {
			rank := ix.targets[t].rankOf(meanings)
			if rank < 0 || slices.ContainsFunc(found, func(c candidate) bool { return c.target == t }) {
				continue
			}
			found = append(found, candidate{target: t, confidence: 1, rank: rank + distance})
		}
	}
	if len(found) > 1 {
		// A concept of several targets is no alias of any of them.
		for i := range found {
			found[i].confidence, found[i].rank = maxSimilar-partsCost, -1
		}
	}
	return found, understood || len(found) > 0
}

// isSpecific reports whether the meaning excludes every other one. A "note" or a "type" of the row
// itself can be any text, and a similar name of a field says more.
func (m Meaning) isSpecific() bool { return m.Role != "" || !strings.HasPrefix(m.Concept, "record.") }

// distance is the distance in rank of a header that names the subject by another word than the
// type's own: "Attendee email" is less certain than "Participant email".
func (p *parser) distance(h *header) int {
	if len(h.words) < 2 || p.named(h.words) != nil || slices.ContainsFunc(h.words, func(w string) bool { return p.subjects[w] }) {
		return 0
	}
	return 1
}

// rankOf returns the rank of the first of the target's concepts that is one of the meanings, or -1.
func (t *target) rankOf(meanings []Meaning) int {
	for place, c := range t.Concepts {
		if slices.Contains(meanings, c) {
			return conceptRank + 2*place
		}
	}
	return -1
}

// Scores of targets for a concept in a part of a header.
const (
	minPartly = 0.45
	maxPartly = 0.75
)

// partlyNamed returns the scores of targets that a part of the header names by their concepts, for
// suggestions: the larger that part is, the higher.
func (ix *index) partlyNamed(text string) map[int]float64 {
	scores := make(map[int]float64)
	if ix.parser.concepts == nil {
		return scores
	}
	for _, form := range parseHeaders(text) {
		if len(form.words) > maxWords || len(form.key) > maxHeader {
			continue
		}
		for from := range form.words {
			for to := from + 1; to <= len(form.words); to++ {
				ix.scorePart(form.words[from:to], len(form.key), scores)
			}
		}
	}
	return scores
}

func (ix *index) scorePart(words []string, all int, scores map[int]float64) {
	meanings := ix.parser.named(words)
	share := float64(len(joinWords(words))) / float64(all)
	for t := range ix.targets {
		if ix.targets[t].rankOf(meanings) >= 0 {
			scores[t] = max(scores[t], minPartly+(maxPartly-minPartly)*share)
		} else if ix.targets[t].isAbout(meanings) {
			scores[t] = max(scores[t], minPartly*share+minPartly/2)
		}
	}
}

// isAbout reports whether one of the meanings is a concept of the target in another role.
func (t *target) isAbout(meanings []Meaning) bool {
	return slices.ContainsFunc(meanings, func(m Meaning) bool {
		return slices.ContainsFunc(t.Concepts, func(c Meaning) bool { return c.Concept == m.Concept })
	})
}
