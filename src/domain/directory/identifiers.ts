import type { Steps } from '../../platform/concurrency/steps.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { InlineFile } from './adagents-file.ts'
import { publisherDomain } from './publisher-domain.ts'

/** One file may declare many thousand properties; a look-up by identifier needs no more than these. */
const MAX_IDENTIFIERS = 200_000
/** Longer values identify nothing that a buyer would ask about. */
const MAX_LENGTH = 512
/** Identifiers of a property between two steps: some tenths of a millisecond. */
const ITEMS_OF_A_STEP = 128

/** An identifier of a property, as a file declares it. */
export interface DeclaredIdentifier {
  readonly identifier_type: string
  readonly identifier_value: string
  /** Empty where the file leaves the publisher to its place. */
  readonly publisher_domain: string
  readonly property_id: string
}

/** The form in which identifiers are compared: domains in their canonical form, everything else as it is written. */
export function identifierKey(type: string, value: string): string {
  return type === 'domain' || type === 'subdomain' ? (publisherDomain(value) ?? value.toLowerCase()) : value
}

/** The identifiers of a file's properties. Source: AdCP adagents.json, Property.identifiers. */
export function* identifiersOf({ properties }: Pick<InlineFile, 'properties'>): Steps<readonly DeclaredIdentifier[]> {
  const found: DeclaredIdentifier[] = []
  for (const { id, publisherDomain: domain, raw } of properties) {
    yield
    for (const [index, each] of (Array.isArray(raw.identifiers) ? raw.identifiers : []).entries()) {
      if (index % ITEMS_OF_A_STEP === ITEMS_OF_A_STEP - 1) yield
      if (!isObject(each) || typeof each.type !== 'string' || typeof each.value !== 'string') continue
      const identifier_value = identifierKey(each.type, each.value)
      if (each.type.length > MAX_LENGTH || identifier_value.length > MAX_LENGTH) continue
      found.push({ identifier_type: each.type, identifier_value, publisher_domain: domain ?? '', property_id: id })
      if (found.length === MAX_IDENTIFIERS) return found
    }
  }
  return found
}
