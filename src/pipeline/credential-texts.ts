import { foreignJsonIn } from '../platform/decode/foreign-json.ts'
import { namesCredential } from './credential-names.ts'

/** Official members whose text a person or a creative wrote, or that is an address somebody is to fetch or call: what their queries and headers say is theirs. */
const FREE_TEXT =
  /(?:^|_)(?:brief|code|comments?|content|description|feedback|guidelines|html|instructions|intent|javascript|message|notes?|objectives?|policy|prompt|reason|script|text|uri|urls?|url_template|vast)$/

/** Whether a text may say what it likes: an official member at its place that is for free texts, addresses or tags. */
export function isFreeText(path: readonly string[], isDeclared: (path: readonly string[]) => boolean): boolean {
  return FREE_TEXT.test(path.at(-1) ?? '') && isDeclared(path)
}

/** A member of a query or of a header written down: its name, and a value as long as a credential's. */
const QUERY = /[?&#;]([\w.%~-]{2,60})=([^&#;\s"'<>]{12,})/g
const SCHEME = /\b(?:authori[sz]ation["']?\s{0,4}[:=]\s{0,4}["']?\s{0,4}[a-z]{2,20}|bearer)[ \t]{1,4}([\w.~+/=-]{16,})/gi

/**
 * What is left of a scan: pairs of queries and headers that are examined, characters of texts that are read as JSON, and different places that are looked up in
 * schemas. Below 0 the scan is refused.
 */
export interface ScanBudget {
  pairs: number
  jsonCharacters: number
  places: number
}

/** Far above the tags and feeds of one request. A pair costs a microsecond, a character of JSON some hundredths of one, a place up to a tenth of a millisecond. */
export const SCAN_BUDGET: Readonly<ScanBudget> = { pairs: 20_000, jsonCharacters: 500_000, places: 500 }

/** Whether a text has a credential in the query of an address, or after `Authorization:` or `Bearer`. Ends early when the budget is used up. */
export function writesCredential(text: string, budget: ScanBudget): boolean {
  if (text.includes('='))
    for (const [, name = '', value = ''] of text.matchAll(QUERY)) {
      if (--budget.pairs < 0) return false
      if (hasShape(value) && namesCredential(name)) return true
    }
  for (const [, value = ''] of text.matchAll(SCHEME)) {
    if (--budget.pairs < 0) return false
    if (hasShape(value)) return true
  }
  return false
}

/** Letters and digits without a macro: a word of a sentence has no digit, a macro is filled in later. */
function hasShape(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value) && !/[{}[\]$]|%%/.test(value)
}

/** Longest text that is read as JSON. */
const LONGEST_JSON = 100_000
const JSON_START = /^\s{0,100}[[{]/
const JSON_END = /[\]}]\s{0,100}$/
/** A text that looks like JSON costs as much as so many characters of it, before the first is read. */
const TEXT_COST = 50

/** What a text says as JSON; undefined for one that is no object or list, and when the budget is used up. */
export function jsonIn(text: string, budget: ScanBudget): object | undefined {
  if (text.length > LONGEST_JSON || !JSON_START.test(text) || !JSON_END.test(text.slice(-101))) return undefined
  budget.jsonCharacters -= text.length + TEXT_COST
  if (budget.jsonCharacters < 0) return undefined
  const value = foreignJsonIn(text)
  return typeof value === 'object' && value !== null ? value : undefined
}

const NAMES = ['name', 'key', 'header', 'field', 'param', 'parameter']
const VALUES = ['value', 'val']
/** Members of a pair that are looked at: a name and a value, and what describes them. */
const LARGEST_PAIR = 20

/** Whether an object is a pair such as `{ name: 'Authorization', value: '…' }`: the value is one word, or a scheme and one. */
export function isCredentialPair(value: object): boolean {
  const entries = firstMembers(value, LARGEST_PAIR)
  const textOf = (names: readonly string[]) =>
    entries.find(([name, text]) => names.includes(name.toLowerCase()) && typeof text === 'string')?.[1]
  const [name, held] = [textOf(NAMES), textOf(VALUES)]
  if (typeof name !== 'string' || typeof held !== 'string' || name.length > 100) return false
  return /^(?:[a-z]{2,20} )?\S+$/i.test(held) && namesCredential(name)
}

/** The first own members of an object, without a list of all of them. */
function firstMembers(value: object, most: number): readonly (readonly [string, unknown])[] {
  const found: [string, unknown][] = []
  for (const name in value) {
    if (found.length === most) break
    if (Object.hasOwn(value, name)) found.push([name, Reflect.get(value, name)])
  }
  return found
}
