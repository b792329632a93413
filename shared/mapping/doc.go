// Package mapping decides what the columns of a file are and what the values in
// them stand for, as far as that can be decided without a person. It is pure
// logic over small plain values: it knows no import type, no file and no database.
//
// Columns. A Matcher is made of one import type's Dictionary. A header is compared
// with each field's name, title and aliases, in two steps:
//
//  1. Equal once both are normalised: letters without accents and case, words split
//     at punctuation and capitals, notes such as "*", "(required)", "(kg)" or
//     "dd/mm/yyyy" left out, "#", "no." and "nr" read as "number". Confidence 1.
//  2. Similar: every word of the header has a counterpart among the words of the
//     name (equal, another form of it, abbreviated, or misspelt), and the other way
//     round; what may be left over is little, and fixed: "of", "your", the word for
//     the record itself (Dictionary.Subjects), "date" for a date. Confidence 0.80 to
//     0.99. See similarity.go.
//
// Anything else is no match. A wrong match writes wrong data in silence and a
// missing one only asks a question, so that every rule here prefers to ask: a word
// that exists is never taken for a misspelling of another one, and a choice between
// two fields or two columns that are equally good is left to a person, unless the
// sample values settle it. Then each field goes to one column so that the whole is
// best (assign.go).
//
// Values. A Ranking is made of the entities that the values of a reference column
// can stand for. Which value equals which entity is the type's own matter (its
// Lookup); for those that equal none, the ranking suggests the most similar
// entities to a person, and never decides.
package mapping
