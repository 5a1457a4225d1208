import { atOnce, type Steps } from '../platform/concurrency/steps.ts'
import { MAX_DEPTH, MAX_NAME, MAX_NODES } from '../platform/decode/parse-json.ts'
import { namesCredential, namesCredentialText } from './credential-names.ts'
import {
  holdsKnownToken,
  isCredentialPair,
  isFreeText,
  isTag,
  jsonIn,
  SCAN_BUDGET,
  type ScanBudget,
  writesCredential,
} from './credential-texts.ts'
import { type Carries, holdsCredential, type SecretSpellings, withSpellings } from './credential-values.ts'

/** Different names of members in one value, and their characters together: some ten times those of all official schemas of one task. */
const MAX_NAMES = 5_000
const MAX_NAME_CHARACTERS = 100_000

/** Larger arguments than any legal request are refused instead of being scanned in part. */
export const SCAN_BOUNDS = `${MAX_DEPTH} levels, ${MAX_NODES} values, and ${MAX_NAMES} different names of members of at most ${MAX_NAME} characters, ${MAX_NAME_CHARACTERS} together; of texts that are JSON ${SCAN_BUDGET.jsonCharacters} characters, ${SCAN_BUDGET.pairs} pairs of queries, and ${SCAN_BUDGET.places} different places of what looks like a credential`

/** Values between two looks at the clock: some tenths of a millisecond. */
const NODES_OF_A_STEP = 256
/** Characters of texts between two looks at the clock: up to ten milliseconds, where every one of them is an escape. */
const CHARACTERS_OF_A_STEP = 100_000
/** Long texts are looked through in parts that share so many characters: what a header can carry (16 KiB) is whole in one of them. */
const SHARED_CHARACTERS = 17_000

export interface ScanOptions {
  /** Whether a member at this path (positions in arrays are left out) is a legal one although its name is that of a credential. */
  readonly isDeclared: (path: readonly string[]) => boolean
  /** The caller's own secrets, which may stand nowhere. */
  readonly secrets: readonly string[]
}

interface Entry {
  readonly value: unknown
  readonly path: readonly string[]
  readonly depth: number
  readonly carries: Carries
}

/**
 * Members that AdCP, or our documentation (docs/security.md), defines as carriers of signed tokens: governance contexts, assertions of identity,
 * attestations, claims of brands, and public keys.
 */
const TOKEN_MEMBERS = /^(?:governance_contexts?|(?:\w{0,60}_)?(?:assertion|attestation|claim|public_key)s?)$/

/**
 * Looks for credentials in `value`, at any depth and in arrays: a member with the name of one that `isDeclared` does not know at its path (whatever its
 * value, so an empty one too), or a text that holds one (also in JSON, in the
 * query of an address, or after `Authorization:`), or a pair of such a name and a value. `too-large` when the bounds were hit: the caller must refuse.
 */
export function findCredential(value: unknown, options: ScanOptions): Scanned {
  return atOnce(searchForCredential(value, options))
}

type Scanned = 'found' | 'too-large' | undefined

/** What {@link findCredential} finds, in steps: arguments of some megabytes take a tenth of a second. */
export function* searchForCredential(value: unknown, options: ScanOptions): Steps<Scanned> {
  if (value === undefined) return undefined
  const stack: Entry[] = [{ value, path: [], depth: 1, carries: 'nothing' }]
  const nameKinds = new Map<string, NameKind>()
  const letters = new Map<string, string>()
  let nodes = 0
  let looked = 0
  let characters = 0
  let nameCharacters = 0
  const secrets = withSpellings(options.secrets)
  const budget = { ...SCAN_BUDGET }
  const isDeclared = rememberingPlaces(options.isDeclared, budget)
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { value: at, path, depth, carries } = entry
    // Short texts that look like JSON take far longer than their characters say.
    if (++looked % NODES_OF_A_STEP === 0) yield
    let held: unknown = typeof at === 'string' && carries === 'nothing' ? jsonIn(at, budget) : at
    for (const part of typeof at === 'string' ? partsOf(at) : []) {
      characters += part.length
      if (characters >= CHARACTERS_OF_A_STEP) {
        characters = 0
        yield
      }
      if (holdsCredential(part, secrets, carries)) {
        const isSigned = carries === 'nothing' && !holdsCredential(part, secrets, 'signed token')
        if (!isSigned || !isTag(path, isDeclared)) return 'found'
      }
      if (carries !== 'nothing') continue
      const isWritten = held === undefined && writesCredential(part, budget)
      if (isWritten && !isFreeText(path, isDeclared)) return 'found'
    }
    if (typeof at === 'string' && held !== undefined && isFreeText(path, isDeclared)) held = undefined
    if (isSpent(budget)) return 'too-large'
    if (typeof held !== 'object' || held === null) continue
    if (depth > MAX_DEPTH) return 'too-large'
    const isArray = Array.isArray(held)
    if (isCredentialPair(held)) return 'found'
    for (const [key, child] of Object.entries(held)) {
      if (++nodes > MAX_NODES) return 'too-large'
      if (nodes % NODES_OF_A_STEP === 0) yield
      const isScanned = typeof child === 'string' || (typeof child === 'object' && child !== null)
      if (isArray) {
        if (isScanned) stack.push({ value: child, path, depth: depth + 1, carries })
        continue
      }
      let kind = nameKinds.get(key)
      if (kind === undefined) {
        nameCharacters += key.length
        if (key.length > MAX_NAME || nameCharacters > MAX_NAME_CHARACTERS || nameKinds.size >= MAX_NAMES) return 'too-large'
        kind = nameKindOf(key, secrets, letters)
        nameKinds.set(key, kind)
      }
      if (kind === 'holds credential') return 'found'
      const isSuspicious = kind === 'names credential' || (kind === 'names credential as a text' && typeof child === 'string')
      const childPath = isSuspicious || isScanned ? [...path, key] : path
      if (isSuspicious && !isDeclared(childPath)) return 'found'
      if (!isScanned) continue
      stack.push({ value: child, path: childPath, depth: depth + 1, carries: carriedBy(key, isSuspicious, carries) })
    }
  }
  return isSpent(budget) ? 'too-large' : undefined
}

function isSpent({ pairs, jsonCharacters, places }: ScanBudget): boolean {
  return pairs < 0 || jsonCharacters < 0 || places < 0
}

/** Asks of each place once. When the budget is used up every place counts as declared, and the scan is refused. */
function rememberingPlaces(isDeclared: ScanOptions['isDeclared'], budget: ScanBudget): ScanOptions['isDeclared'] {
  const known = new Map<string, boolean>()
  return (path) => {
    const place = path.join('\n')
    const before = known.get(place)
    if (before !== undefined) return before
    if (--budget.places < 0) return true
    const declared = isDeclared(path)
    known.set(place, declared)
    return declared
  }
}

/** A text in parts of {@link CHARACTERS_OF_A_STEP} at most, each of which begins with the end of the one before, and that are longer than a short text. */
function* partsOf(text: string): Iterable<string> {
  const step = CHARACTERS_OF_A_STEP - SHARED_CHARACTERS
  let from = 0
  for (; text.length - from > CHARACTERS_OF_A_STEP; from += step) yield text.slice(from, from + CHARACTERS_OF_A_STEP)
  yield from === 0 ? text : text.slice(from)
}

/** What a member's own name says of it. A list of thousands of items repeats its few names, so each is examined once a scan. */
type NameKind = 'holds credential' | 'names credential' | 'names credential as a text' | 'plain'

function nameKindOf(name: string, secrets: SecretSpellings, letters: Map<string, string>): NameKind {
  if (holdsCredential(name, secrets, 'nothing') || holdsKnownToken(name)) return 'holds credential'
  if (namesCredential(name, letters)) return 'names credential'
  return namesCredentialText(name, letters) ? 'names credential as a text' : 'plain'
}

/** What lies below a carrier is carried by it: an assertion may be an object with a token in it. */
function carriedBy(key: string, isCredential: boolean, parent: Carries): Carries {
  if (isCredential) return 'credential'
  return parent === 'nothing' && TOKEN_MEMBERS.test(key) ? 'signed token' : parent
}
