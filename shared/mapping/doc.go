// Package mapping matches the columns of a file to fields and the values in them to
// entities, as far as possible without a person. It is pure logic over small plain values:
// it depends on no import type, file or database.
//
// Columns. A Matcher is created from one import type's Dictionary. A header is compared
// with each field's name, title and aliases, in two steps:
//
//  1. Equal after normalisation: letters without accents and case, words split
//     at punctuation and capitals, notes such as "*", "(required)", "(kg)" or
//     "dd/mm/yyyy" left out, "#", "no." and "nr" read as "number". Confidence 1.
//  2. Similar: every word of the header has a counterpart among the words of the
//     name (equal, inflected, abbreviated, or misspelt), and vice versa; the words that
//     may be left over are few and fixed: "of", "your", the word for the record itself
//     (Dictionary.Subjects), "date" for a date. Confidence 0.80 to 0.99. See
//     similarity.go.
//
// Anything else is no match. A wrong match silently writes wrong data, while a missing one
// only causes a question, so every rule prefers to ask: an existing word is never taken for
// a misspelling of another one, and a choice between two equally good fields or columns is
// left to a person, unless the sample values decide it. Then each field is assigned to one
// column so that the total is best (assign.go).
//
// Values. A Ranking is created from the entities that the values of a reference column can
// match. The type decides which value equals which entity (its Lookup); for values without
// an equal one, the ranking suggests the most similar entities to a person, and never
// decides.
package mapping
