package mapping

import "strings"

// This file contains general knowledge of headers, independent of the fields of any import
// type.

// fillers are words that do not change the meaning of a header.
var fillers = setOf(`of the a an at on your my our please enter provide specify select choose what which
	de du des la le les da do das dos del della di el los las der die das den dem des van het een zu zum zur l d`)

// wordVariants are spellings of one word; the first column is the normal form.
var wordVariants = readTable(`
	organisation organization
	licence license
	centre center
	colour color
	cancelled canceled
	organiser organizer
	enrolment enrollment`)

// abbreviations of words in headers.
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
	instructions instr inst
	invoice inv
	last lst
	level lvl
	member mbr memb mem
	membership mbrshp mbrship memb mem mship
	message msg
	mobile mob mobl
	modified mod
	name nm nme nam
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

// numberSynonyms are things for which "X number" means the same as "X".
var numberSynonyms = setOf("phone mobile telephone cell cellphone contact reference bib passport pincode")

// genericWords are too unspecific to be recognised without the word before them: "Membership
// name" is not "Name".
var genericWords = setOf("name date number type id code status value time title text description level count amount")

// impliedWords are the words that a header may contain in addition for a field of a kind.
var impliedWords = map[Kind]map[string]bool{
	Email:     setOf("address id"),
	UUID:      setOf("uuid guid"),
	Boolean:   setOf("flag is yesno"),
	Date:      setOf("date day"),
	Timestamp: setOf("date time datetime timestamp"),
	Reference: setOf("name code id"),
}

// ordinaryWords are words of headers that resemble other words of headers. An existing word
// is not a misspelling: a county is not a country.
var ordinaryWords = setOf(`
	able access accessed account action active activity actor actual addition address advice affiliate after again agency
	agenda agent airline alias allergy amount animal annual answer apartment approval approved area arrival article asset
	assist athlete attend attended attendee audit author award back badge balance band bank barcode base basis batch
	before begin behind belt berth bike bill billed billing birch birth bland blood board boat body bonus book booking
	boolean border born boss bottom box brad braid bran branch brand break brief broker brother budget building bundle
	business buyer cabin call caller cancel captain card carrier cart case cash cause cell census centre certificate chain
	chair change changed channel charge charged chart charted chat check child chip church city civil claim claps clash
	class clean clear click client clinic close closed clothing club coach coat code coded cohort collect colour column
	combi comm comment common company competed complete compound condition conduct confirm consent consign console
	constant contact content contest context contract control convent cost council count counter county coupon courier
	course court cover crash crated created creator credit cremated cremation crew crowd culture currency current
	custom customer cycle daily damage data date dating deal dealer debit decade decision declare decryption deductible
	default degree delay delete deli deliver delivered delivery depart deposit depot depth derby descriptor designation
	desk detail detonation device diet digit direct director disability discount distinction district division doctor
	document dollar donor door dose double draft drive driver drop duplicate duration duty early earned east edit edition
	editor effect effort elite employee employer enable enabled ending engine entry error escort estate even event exam
	example except exempt exit expiry export extra face factor faculty family farm fast father fax feature fee feed female
	field file fill final finish finished fire first fist fixed flag flat fleet flight floor folder foot foreign form
	format forward frame freight friend from front fuel full fund game gap garage gate gender general gift give given
	gloss goal gods gold good goods grade grand grant grass gross group grows guest guide gun half hand handle head health
	heat height help hidden hire hobby hold holder holiday home hospital host hotel hour house husband identify identities
	image impact inactive income index industry initial injury inner input inside institute instruct instructors insurance
	intake intent interest internal invite invoice island issue item join joint journal judge junior jury keep kind label
	lamps landing lane language lapsed large latitude lead leader league leaps least legal lender length lesson letter
	level licence life like limit line link list listed live load loading loan local location lock login logo long
	longitude lower loyalty machine maiden mail main maker male manager map margin marital mark market married massage
	master match matter maximum meal measure media medical medium meeting member members memo menu mess message meta meter
	method middle mile minimum minor minute mobile mode model modern module money month mood moth mother motile motor
	mouth move name nation national native nature need net next nick nickname night node normal note notes notice notify
	notion numb number nurse object offer office officer online open option order organ organizations origin other outcome
	outer output outside overall owner pace pack package page paid paints pair palace parcel parent park part participate
	partner party pass passed past pasted patient pattern pause payee payer payment peak penalty pending pension people
	percent period perm permit person phase phone photo phrase pick picture piece pilot pints place plan plane plant plate
	platform player pledge point policy pool port portal ported portion posit positron post postage postal posted poster
	posting prefix premium present price pride primary prime prince print prints prior priority private prize process prod
	product profile profit program project promo proof property provider province public published publisher pump purchase
	purpose quality quantify quantity quarter query question queue quote race racer racing radio rally random range ranked
	ranking rate rated rating ratio reader reading readings real reason rebate receipt receive received receiver record
	recorded recover refer referee referral referred refund region register regular relation relative release remark
	remote renewal rental renter repair repeat replied reply report request required resale reserve reset residence
	resident resolve response rest result retail retired return returned reverence review reviewer reward rider right risk
	road role roll room root round route rule run runner safe salary sale sales salon sample saved saving scale scene
	school score season seat second secret section sector seed seize select seller send sender sending senior serial
	series service session set settled sex shape share sheet shift ship shipped shipper shipping shirt shop shopper
	shopping short shot show side sign signed silver single sister site size skill skip skipper slipper slot slow small
	smart snack social sort source south space spacial spare speed spender split sponsor sport spouse squad staff stage
	stake stale stand star start started state states station stats statue status step stock stop store story stream
	street strength string student studio style subject submit subtitle suburb suffix sugar suit sum summary supplier
	support surface survey suspended switch symbol system table take tank target task tax team tech temp term test text
	theme third ticket tier tile time timing tips title token tonal tool topic total touch tour town track trade trail
	train transfer transit travel treat trial trip truck trust tutor type undated under union unit update updated upload
	upper usage user username usher valid validity value valve variant vat vehicle vendor venue version vest veteran view
	visit visitor voice void volume vote voter voucher wage wait waiver walk wall ward warning waste watch water wave
	weather web week weekly weigh weighted weighting west wheel width wife window winner winter with work worker world
	writer wrong commentary yard year youth zone
	adresse alter cidade citta ciudad classe clube compte conta conto contrat contrato corso cours cuenta curso data
	dato datum domicile edad equipe equipo eta facture factura fattura fecha filiale firma foto gara gasto gemeinde
	grupo gruppe gruppo hora heure idade impresa jour kasse klub konto kosten kurs lehrer licencia localidad lugar
	maison marca mese mois monat nota notas ordem orden ordre pagina partita pays pedido plaats plan platz
	poste preis prix precio prezzo proba prova prueba quota rechnung rue ruolo schule seite serie sexo societa
	sparte staat stadt stand stato statut strada stunde tag tarif tarifa taxe telefon termin titel titre titulo
	ulica valeur valor valore verein via ville wert zahl zeit zona`)

// readTable parses lines of a word and its variants, and returns the possible words of each
// variant.
func readTable(table string) map[string][]string {
	byWord := make(map[string][]string)
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 0 {
			for _, short := range f[1:] {
				byWord[short] = append(byWord[short], f[0])
			}
		}
	}
	return byWord
}
