import { foreignJsonIn } from '../platform/decode/foreign-json.ts'
import { namesCredential } from './credential-names.ts'

/** Official members whose text a person or a creative wrote, or that is an address somebody is to fetch or call: what their queries and headers say is theirs. */
const FREE_TEXT =
  /(?:^|_)(?:brief|code|comments?|content|description|feedback|guidelines|html|instructions|intent|javascript|message|notes?|objectives?|policy|prompt|reason|script|text|uri|urls?|url_template|vast)$/

/** Whether a text may say what it likes: an official member at its place that is for free texts, addresses or tags. */
export function isFreeText(path: readonly string[], isDeclared: (path: readonly string[]) => boolean): boolean {
  return FREE_TEXT.test(path.at(-1) ?? '') && isDeclared(path)
}

/** Those that hold an address, or what a browser or player runs: trackers sign what their addresses say (JWT). */
const TAG = /(?:^|_)(?:code|content|html|javascript|script|uri|urls?|url_template|vast)$/

/** Whether a text is an address or a tag: an official member at its place that is for one. */
export function isTag(path: readonly string[], isDeclared: (path: readonly string[]) => boolean): boolean {
  return TAG.test(path.at(-1) ?? '') && isDeclared(path)
}

/** A member of a query or of a header written down: its name, and a value as long as a credential's. */
const QUERY = /[?&#;]([\w.%~-]{2,60})=([^&#;\s"'<>]{12,})/g
const SCHEME = /\b(?:authori[sz]ation["']?\s{0,4}[:=]\s{0,4}["']?\s{0,4}[a-z]{2,20}|bearer)[ \t]{1,4}([\w.~+/=-]{16,})/gi

/** A name and a password in base64 (RFC 7617 §2); a word of a sentence is no text in it. */
const BASIC = /\bbasic[ \t]{1,4}([a-z0-9+/_-]{6,}={0,2})/gi
const BASIC_PAIR = /^[\x20-\x39\x3b-\x7e]{1,200}:[\x20-\x7e]{1,200}$/
/** A name and a password as `curl` and `wget` take them. */
const USER_OPTION = /\s(?:-u|-U|--user|--proxy-user)(?:\s{1,4}|=)["']?[^\s:"']{1,64}:[^\s"']/

/** A name and a value as settings, headers and code write them. */
const SETTING = /(?<![\w.?&#;-])([\w.-]{2,60})["'`]?\s{0,4}[:=]\s{0,4}["'`]?([^\s"'`<>,;&?]{12,})/g

/**
 * Beginnings of the tokens of much used services, which their own scanners look for as well: GitHub, GitLab, npm, Slack, Stripe, AWS, Google, SendGrid, Shopify,
 * OpenAI, Anthropic, Hugging Face, DigitalOcean.
 */
const KNOWN_TOKEN = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    'gh[oprsu]_[A-Za-z0-9]{36}',
    'github_pat_[A-Za-z0-9_]{22}',
    'glpat-[A-Za-z0-9_-]{20}',
    'npm_[A-Za-z0-9]{36}',
    'xox[abeoprs]-[A-Za-z0-9-]{10}',
    'xapp-[0-9]-[A-Za-z0-9-]{10}',
    '[rs]k_(?:live|test)_[A-Za-z0-9]{16}',
    'whsec_[A-Za-z0-9+/]{20}',
    'A(?:KIA|SIA)[0-9A-Z]{16}(?![0-9A-Za-z])',
    'AIza[A-Za-z0-9_-]{35}',
    'ya29\\.[A-Za-z0-9_-]{20}',
    'GOCSPX-[A-Za-z0-9_-]{20}',
    'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{20}',
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
    'sk-(?:ant|proj|svcacct)-[A-Za-z0-9_-]{20}',
    'sk-[A-Za-z0-9]{40}',
    'hf_[A-Za-z0-9]{30}',
    'dop_v1_[a-f0-9]{40}',
  ].join('|')})`,
)

/** Whether a text holds a token of a service that marks its tokens. */
export function holdsKnownToken(text: string): boolean {
  return text.length >= LEAST_TOKEN && KNOWN_TOKEN.test(text)
}

/** The shortest of them, of Slack. */
const LEAST_TOKEN = 15

/**
 * What is left of a scan: pairs of queries and headers that are examined, characters of texts that are read as JSON, and different places that are looked up in
 * schemas. Below 0 the scan is refused.
 */
export interface ScanBudget {
  pairs: number
  jsonCharacters: number
  places: number
  settingCharacters: number
}

/** Far above the tags and feeds of one request. A pair costs a microsecond, a character of JSON some hundredths of one, a place up to a tenth of a millisecond. */
export const SCAN_BUDGET: Readonly<ScanBudget> = {
  pairs: 20_000,
  jsonCharacters: 500_000,
  places: 500,
  settingCharacters: 500_000,
}

/**
 * Whether a text has a credential in the query of an address, in a setting such as `API_KEY=…`, after `Authorization:` or `Bearer`, or one that its own form
 * shows. Ends early when the budget is used up.
 */
export function writesCredential(text: string, budget: ScanBudget): boolean {
  if (holdsKnownToken(text) || setsCredential(text, budget)) return true
  if (text.includes('='))
    for (const [, name = '', value = ''] of text.matchAll(QUERY)) {
      if (--budget.pairs < 0) return false
      if (hasShape(value) && namesCredential(name)) return true
    }
  for (const [, value = ''] of text.matchAll(SCHEME)) {
    if (--budget.pairs < 0) return false
    if (hasShape(value)) return true
  }
  for (const [, value = ''] of text.matchAll(BASIC)) {
    if (--budget.pairs < 0) return false
    if (BASIC_PAIR.test(Buffer.from(value, 'base64').toString('latin1'))) return true
  }
  return /\b(?:curl|wget)\b/.test(text) && USER_OPTION.test(text)
}

/** Longest text that is looked through for settings: scripts and feeds are longer, and full of what looks like one. */
const LONGEST_SETTINGS = 10_000

/** Whether a short text sets a credential. What is beyond the budget is not looked through, and not refused: lists have millions of characters of addresses and times. */
function setsCredential(text: string, budget: ScanBudget): boolean {
  if (text.length > LONGEST_SETTINGS || text.length > budget.settingCharacters) return false
  budget.settingCharacters -= text.length
  for (const [, name = '', value = ''] of text.matchAll(SETTING)) if (hasShape(value) && namesCredential(name)) return true
  return false
}

/** Letters and digits without a macro: a word of a sentence has no digit, a macro is filled in later. */
function hasShape(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value) && !/[{}[\]$]|%%/.test(value)
}

/** Longest text that is read as JSON. */
const LONGEST_JSON = 100_000
const JSON_START = /^\s{0,100}[[{"]/
const JSON_END = /[\]}"]\s{0,100}$/
/** A text that looks like JSON costs as much as so many characters of it, before the first is read. */
const TEXT_COST = 50

/** What a text says as JSON, another text as a list of it; undefined for one that is neither text nor object nor list, and when the budget is used up. */
export function jsonIn(text: string, budget: ScanBudget): object | undefined {
  if (text.length > LONGEST_JSON || !JSON_START.test(text) || !JSON_END.test(text.slice(-101))) return undefined
  budget.jsonCharacters -= text.length + TEXT_COST
  if (budget.jsonCharacters < 0) return undefined
  const value = foreignJsonIn(text)
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? value : undefined
}

const NAMES = ['name', 'key', 'k', 'header', 'field', 'param', 'parameter']
const VALUES = ['value', 'val', 'v']
/** Members of a pair that are looked at: a name and a value, and what describes them. */
const LARGEST_PAIR = 20

/**
 * Whether an object is a pair such as `{ name: 'Authorization', value: '…' }`, or a list one such as `['api_key', '…']`: the value is one word, or a scheme and one; in a
 * list, which may be one of words, it looks like a credential's too.
 */
export function isCredentialPair(value: object): boolean {
  if (Array.isArray(value)) return isPairOfTexts(value)
  const entries = firstMembers(value, LARGEST_PAIR)
  const textOf = (names: readonly string[]) =>
    entries.find(([name, text]) => names.includes(name.toLowerCase()) && typeof text === 'string')?.[1]
  const [name, held] = [textOf(NAMES), textOf(VALUES)]
  if (typeof name !== 'string' || typeof held !== 'string' || name.length > 100) return false
  return /^(?:[a-z]{2,20} )?\S+$/i.test(held) && namesCredential(name)
}

function isPairOfTexts([name, held, ...others]: readonly unknown[]): boolean {
  if (others.length > 0 || typeof name !== 'string' || typeof held !== 'string' || name.length > 100) return false
  const [, word = ''] = /^(?:[a-z]{2,20} )?(\S{12,})$/i.exec(held) ?? []
  return hasShape(word) && namesCredential(name)
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
