import type { FeeRule } from '../media-buy/charge.ts'
import { minorDigits } from '../money.ts'
import type { InvoiceLanguage } from './invoice-words.ts'

/** Why a line is billed, where this program says so and no person. */
export type InvoiceReason =
  /** `adServer` absent: that of this program. */
  | { readonly kind: 'reported'; readonly adServer?: string; readonly day: string }
  | { readonly kind: 'billed_anew'; readonly invoice: string }
  | { readonly kind: 'cancellation'; readonly rule: FeeRule; readonly currency: string }
  | { readonly kind: 'make_good'; readonly text: string }

/** How the reader of an invoice reads: its language, and the form of its numbers (BCP 47). */
export interface Reader {
  readonly language: InvoiceLanguage
  readonly locale: string
}

/** The reader of lists of this program, which are in English. */
export const PEOPLE: Reader = { language: 'en', locale: 'en-GB' }

interface Words {
  readonly ownAdServer: string
  readonly reported: (adServer: string, day: string) => string
  readonly anew: (invoice: string) => string
  readonly makeGood: string
  readonly cancellation: string
  readonly fixed: string
  readonly of: string
  readonly budget: (money: string) => string
  readonly spent: (money: string) => string
  readonly notice: (time: string) => string
  readonly corrected: (money: string) => string
  readonly campaign: string
}

const WORDS: Readonly<Record<InvoiceLanguage, Words>> = {
  en: {
    ownAdServer: 'our ad server',
    reported: (adServer, day) => `reported by ${adServer} on ${day}`,
    anew: (invoice) => `billed anew: invoice ${invoice} was credited`,
    ...{ makeGood: 'make-good', cancellation: 'cancellation', fixed: 'a fixed fee', of: 'of' },
    budget: (money) => `a budget of ${money}`,
    spent: (money) => `less ${money} spent`,
    notice: (time) => `since the notice of ${time} began`,
    corrected: (money) => `charged until now: ${money}`,
    campaign: 'the whole campaign',
  },
  de: {
    ownAdServer: 'unserem Adserver',
    reported: (adServer, day) => `gemeldet von ${adServer} am ${day}`,
    anew: (invoice) => `neu berechnet: Rechnung ${invoice} wurde gutgeschrieben`,
    ...{ makeGood: 'Ausgleich für Minderleistung', cancellation: 'Stornierung', fixed: 'eine feste Gebühr', of: 'von' },
    budget: (money) => `einem Budget von ${money}`,
    spent: (money) => `abzüglich geleisteter ${money}`,
    notice: (time) => `innerhalb der Frist: ${time}`,
    corrected: (money) => `bisher berechnet: ${money}`,
    campaign: 'die ganze Kampagne',
  },
  sv: {
    ownAdServer: 'vår annonsserver',
    reported: (adServer, day) => `rapporterat av ${adServer} den ${day}`,
    anew: (invoice) => `faktureras på nytt: faktura ${invoice} krediterades`,
    ...{ makeGood: 'kompensation för utebliven leverans', cancellation: 'avbokning', fixed: 'en fast avgift', of: 'av' },
    budget: (money) => `en budget på ${money}`,
    spent: (money) => `minus levererat för ${money}`,
    notice: (time) => `inom avbokningsfristen: ${time}`,
    corrected: (money) => `hittills debiterat: ${money}`,
    campaign: 'hela kampanjen',
  },
}

/** The reason in the language of its reader. */
export function reasonText(reason: InvoiceReason, { language, locale }: Reader): string {
  const words = WORDS[language]
  switch (reason.kind) {
    case 'reported':
      return words.reported(reason.adServer ?? words.ownAdServer, reason.day)
    case 'billed_anew':
      return words.anew(reason.invoice)
    case 'make_good':
      return `${words.makeGood}: ${reason.text}`
    case 'cancellation':
      return `${words.cancellation}: ${ruleText(reason, words, locale)}`
  }
}

function ruleText({ rule, currency }: InvoiceReason & { readonly kind: 'cancellation' }, words: Words, locale: string): string {
  const amounts = new Intl.NumberFormat(locale, { minimumFractionDigits: minorDigits(currency), maximumFractionDigits: 6 })
  const money = (micros: number) => `${amounts.format(micros / 1e6)} ${currency}`
  const rest = `${words.budget(money(rule.budgetMicros))} ${words.spent(money(rule.spentMicros))}`
  const share = rule.percent === undefined ? rest : `${new Intl.NumberFormat(locale).format(rule.percent)} % ${words.of} ${rest}`
  const within = words.notice(timeText(rule.notice, words, locale))
  const corrected = rule.correctsMicros === undefined ? '' : `; ${words.corrected(money(rule.correctsMicros))}`
  return `${rule.type === 'fixed_fee' ? words.fixed : share}; ${within}${corrected}`
}

/** Units of a notice (AdCP core/duration.json) as `Intl` knows them; a whole campaign has no number. */
const UNITS: Readonly<Record<string, string>> = { seconds: 'second', minutes: 'minute', hours: 'hour', days: 'day' }

function timeText({ interval, unit }: FeeRule['notice'], { campaign }: Words, locale: string): string {
  const known = UNITS[unit]
  if (known === undefined) return campaign
  return new Intl.NumberFormat(locale, { style: 'unit', unit: known, unitDisplay: 'long' }).format(interval)
}
