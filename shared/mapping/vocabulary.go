package mapping

import "strings"

// What stands here is knowledge of how headers are written in general, never of
// what one import type's fields are called.

// fillers are words that a header may have or lack without meaning anything else.
var fillers = setOf(`of the a an at on in your my our please enter provide specify select choose what which
	de du des la le les da do das dos del della di el los las der die das den dem des van het een zu zum zur l d`)

// variants are spellings of one word; the first column is what they are read as.
var variants = readTable(`
	organisation organization
	licence license
	centre center
	colour color
	cancelled canceled
	organiser organizer
	enrolment enrollment`)

// abbreviations of words that stand in headers.
var abbreviations = readTable(`
	account acct acc
	address addr adr addrs
	amount amt
	author auth
	category cat catg ctg ctgry categ
	code cd
	comment cmt
	company comp
	contact cont cntct
	count cnt
	country ctry cntry
	created crt crtd
	creation crt
	customer cust cstmr
	date dt dte
	declared decl
	delivery dlvry deliv del
	description desc descr dscr
	distance dist
	email eml
	event evt
	first fst frst
	gender gndr sex
	identity ident
	identifier ident
	instruction instr inst
	instructions instr inst
	invoice inv
	last lst
	level lvl
	member mbr memb mem
	membership mbrshp mbrship memb mem mship
	message msg
	mobile mob mobl
	modified mod
	name nm nme
	nationality nat natl
	number no nr nbr num
	organisation org
	participant part ptcp
	passport pp
	phone ph phn
	pieces pcs
	points pts
	position pos posn
	publication pub publ
	publish pub publ
	published pub publ
	quantity qty qnty
	receiver rcvr recvr recv
	recipient rcpt recip
	reference ref refr
	registration reg regn
	sender sndr
	sequence seq
	service svc srv serv
	special spl spec
	status stat sts
	surname sname
	telephone tel teleph
	time tm
	total tot ttl
	type typ
	updated upd updt
	user usr
	value val
	weight wt wgt
	year yr`)

// numbered are things of which "X number" means no more than "X".
var numbered = setOf("phone mobile telephone cell cellphone contact reference bib passport pincode")

// generic are words that say too little to be recognised on their own once the word
// before them is left out: "Membership name" is not "Name".
var generic = setOf("name date number type id code status value time title text description level count amount")

// implied are the words that a header may have in addition for a field of a kind.
var implied = map[Kind]map[string]bool{
	Email:     setOf("address id"),
	UUID:      setOf("uuid guid"),
	Boolean:   setOf("flag is"),
	Date:      setOf("date day"),
	Timestamp: setOf("date time datetime timestamp"),
	Reference: setOf("name code id"),
}

// ordinary are words of headers that are close to other words of headers. A word
// that exists is not a misspelling: a county is not a country.
var ordinary = setOf(`
	able access account action active activity actor actual addition address advice affiliate after again agency agenda
	agent airline alias allergy amount animal annual answer apartment approval approved area arrival article asset assist
	athlete attend attended attendee audit author award back badge balance bank barcode base basis batch before begin behind
	belt bike bill billed billing birth blood board boat body bonus book booking boolean border born boss bottom box branch
	brand break brief broker brother budget building bundle business buyer cabin call caller cancel captain card carrier cart
	case cash cause cell census centre certificate chain chair change channel charge chart chat check child chip church city
	civil claim class clean clear click client clinic close closed clothing club coach coat code cohort collect colour column
	combi comment common company complete compound condition conduct confirm consent console constant contact content contest
	context contract control cost council count counter county coupon courier course court cover created creator credit crew
	crowd culture currency current custom customer cycle daily damage data date dating deal dealer debit decade decision
	deductible default degree delay delete delivered delivery deposit depot depth derby desk detail device diet digit direct
	director disability discount district division doctor document dollar donor door dose double draft drive driver drop
	duplicate duration duty early earned east edit edition editor effect effort elite employee employer enabled ending engine
	entry error escort estate event even exam example exempt exit expiry export extra face factor faculty family farm fast
	father fax feature fee feed female field file fill final finish fire first fixed flag flat fleet flight floor folder foot
	foreign form format forward frame freight friend from front fuel full fund game gap garage gate gender general gift goal
	goods grade grand grant gross group guest guide gun half hand handle head health heat height help hidden hire hobby hold
	holder holiday home hospital host hotel hour house husband image impact inactive income index industry initial injury
	inner input inside institute insurance intake intent interest internal invite invoice island issue item join joint
	journal judge junior jury keep kind label lane language large latitude lead leader league legal lender length lesson
	letter level licence life like limit line link list live load loan local location lock login logo longitude lower loyalty
	machine maiden mail main maker male manager map margin marital mark market married master match matter maximum meal
	measure media medical medium meeting member memo menu message meta meter method middle mile minimum minor minute mobile
	mode model modern module money month mood mother motor move name nation native nature need net next nick nickname night node
	normal note notes notice notify number nurse object offer office officer online open option order organ origin other
	outcome outer output outside overall owner pace pack package page paid pair parcel parent park part partner party pass
	passed past patient pattern pause payee payer payment peak penalty pending pension people percent period permit person
	phase phone photo phrase picture piece pilot place plan plant plate platform player pledge point policy pool port portal
	portion post postage postal posted poster prefix premium present price primary print prior priority private prize process
	product profile profit program project promo proof property provider province public published publisher pump purchase
	purpose quality quantity quarter query question queue quote race racer radio rally random range ranking rate rated rating
	ratio reader real reason rebate receipt received receiver record recorded recover refer referee referral referred refund
	region register regular relation relative release remark remote renewal rental renter repair repeat replied reply report
	request required resale reserve reset residence resident resolve response rest result retail retired return returned
	reviewer review reward rider right risk road role roll room root round route rule run runner safe salary sale sales salon
	sample saved saving scale scene school score season seat second secret section sector seed select seller send sender
	sending senior serial series service session set settled sex shape share sheet shift ship shipped shipper shipping shirt
	shop short show side sign signed silver single sister site size skill skip slot slow small snack social source south
	space spare speed split sponsor sport spouse squad staff stage stake stand start started state station status step stock
	stop store story stream street strength string student studio style subject submit suburb subtitle suffix sugar suit sum
	summary supplier support surface survey suspended switch symbol system table take tank target task tax team tech temp
	term test text theme third ticket tier time timing tips title token tool topic total touch tour town track trade trail
	train transfer transit travel treat trial trip truck trust tutor type under union unit update updated upload upper usage
	user username valid validity value variant vat vehicle vendor venue version vest veteran view visit visitor voice void
	volume vote voter voucher wage wait waiver walk wall ward warning waste watch water wave weather web week weekly west
	wheel width wife window winner winter work worker world writer wrong yard year youth zone`)

// readTable reads lines of a word and other ways to write it, and returns what each
// of those may stand for.
func readTable(table string) map[string][]string {
	of := make(map[string][]string)
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 0 {
			for _, short := range f[1:] {
				of[short] = append(of[short], f[0])
			}
		}
	}
	return of
}
