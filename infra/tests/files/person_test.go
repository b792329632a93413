package files

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// locale is the origin of a file's people.
type locale struct {
	women, men, last []string
	domain           string
	phone            string // format of eight digits in two groups
}

// person is a person in a file.
type person struct {
	n                  int
	first, last, email string
	female             bool
	born, joined       time.Time
	phone              string
	random             *rand.Rand // for further attributes of the person
}

// person returns the n-th person of a locale; the result is always the same.
func (l locale) person(n int) person {
	draw := rand.New(rand.NewPCG(uint64(n), uint64(len(l.domain)))) //nolint:gosec // made-up people
	p := person{n: n, random: draw, female: draw.IntN(2) == 0, last: l.last[draw.IntN(len(l.last))]}
	names := l.men
	if p.female {
		names = l.women
	}
	p.first = names[draw.IntN(len(names))]
	p.email = fmt.Sprintf("%s.%s%d@%s", ascii(p.first), ascii(p.last), n, l.domain)
	p.born = time.Date(1950+draw.IntN(55), time.Month(1+draw.IntN(12)), 1+draw.IntN(28), 0, 0, 0, 0, time.UTC)
	p.joined = time.Date(2012+draw.IntN(13), time.Month(1+draw.IntN(12)), 1+draw.IntN(28), 0, 0, 0, 0, time.UTC)
	p.phone = fmt.Sprintf(l.phone, draw.IntN(10_000), draw.IntN(10_000))
	return p
}

// pick returns one of the words at random.
func (p person) pick(words ...string) string { return words[p.random.IntN(len(words))] }

// gender returns the value in the database.
func (p person) gender() string {
	if p.female {
		return "FEMALE"
	}
	return "MALE"
}

// choose returns one word for women, another for men.
func (p person) choose(woman, man string) string {
	if p.female {
		return woman
	}
	return man
}

// memberRow returns the person's row of a roster.
func (p person) memberRow(more row) row {
	r := row{
		"first_name": p.first, "last_name": p.last, "email": p.email, "gender": p.gender(),
		"birth_date": isoDate(p.born), "joined_on": isoDate(p.joined), "phone": p.phone,
	}
	for column, text := range more {
		r[column] = text
	}
	return withoutEmpty(r)
}

// isoDate formats a date as the database does.
func isoDate(t time.Time) string { return t.Format(time.DateOnly) }

var asciiReplacer = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "ë", "e", "ï", "i", "î", "i", "ç", "c", "à", "a", "â", "a",
	"á", "a", "í", "i", "ó", "o", "ú", "u", "ñ", "n", "ò", "o", "ù", "u", "ì", "i", "ł", "l", "ą", "a", "ę", "e", "ć", "c", "ń", "n", "ś", "s", "ź", "z", "ż", "z",
	" ", "", "'", "", "-", "",
)

// ascii returns a name in its form for e-mail addresses.
func ascii(name string) string { return asciiReplacer.Replace(strings.ToLower(name)) }
