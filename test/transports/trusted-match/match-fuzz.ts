import fc from 'fast-check'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { HOSTILE_VALUES, jsonOf } from '../../../tools/fuzz/hostile-values.ts'
import { mutation, pick } from '../../../tools/fuzz/mutations.ts'
import { arbitraryRequest } from '../../support/arbitrary-request.ts'
import { seededChance } from '../../support/match-attack/page-views.ts'
import { PROPERTY, SELLER } from '../../support/match-router.ts'

/** Most messages name the publisher that asks, so that they get beyond the first checks. */
const WORDS = {
  property_rid: [PROPERTY],
  seller_agent_url: [SELLER],
  country: ['US', 'DE'],
  uid_type: ['uid2', 'id5'],
  package_id: ['p1', 'any', '__proto__'],
  agent_url: [SELLER],
}

/** Generating a message from its schema takes milliseconds; each is used several times, with other changes. */
const MOST_SAMPLES = 60
const LONG = 'x'.repeat(60_000)

/** Attacks on the text of a message, beyond what values can say. */
const TEXT_ATTACKS: readonly ((json: string) => string)[] = [
  () => '',
  () => 'null',
  () => '['.repeat(100_000),
  () => '{"a":'.repeat(50_000),
  () => `{"a":${'['.repeat(60)}${']'.repeat(60)}}`,
  () => `[${'0,'.repeat(120_000)}0]`,
  (json) => json.slice(0, Math.floor(json.length / 2)),
  (json) => `${json}${json}`,
  (json) => `\ufeff${json}`,
  (json) => json.replace('{', '{"type":"context_match_request",'),
  (json) => json.replace('{', '{"type":"identity_match_request",'),
  (json) => json.replace('{', '{"request_id":"first",'),
  (json) => json.replace('{', '{"\\u0072equest_id":"first",'),
  (json) => json.replace('{', '{"__proto__":{"request_id":"inherited","polluted":true},'),
  (json) => json.replace('{', '{"constructor":{"prototype":{"polluted":true}},'),
  (json) => json.replace('{', `{"${LONG}":1,`),
  (json) => json.replace('{', `{"ext":"${LONG}",`),
  (json) => json.replace('{', `{"ext":"${LONG.repeat(5)}",`),
  (json) => json.replaceAll('":"', `":"${'é'.repeat(2_000)}`),
  (json) => json.replaceAll('"', "'"),
]

/**
 * Texts to send in the place of a message: what its schema allows, the same and the plain message with members changed, any JSON, and texts that attack the
 * parser. The same seed gives the same texts.
 */
export function hostileMessages(
  schema: string,
  { plain, count, seed }: { readonly plain: object; readonly count: number; readonly seed: number },
): readonly string[] {
  const schemas = matchSchemas()
  const arbitrary = arbitraryRequest(schemas, schemas.document(schema), WORDS)
  const numRuns = Math.min(MOST_SAMPLES, Math.ceil(count / 5))
  const made = fc.sample(arbitrary, { seed, numRuns })
  const values = fc.sample(fc.jsonValue(), { seed, numRuns })
  const chance = seededChance(seed)
  const message = (index: number): object => {
    const value = made[index % made.length]
    return typeof value === 'object' && value !== null && chance() < 0.5 ? { ...plain, ...value } : plain
  }
  const attacks = TEXT_ATTACKS.map((attack) => attack(JSON.stringify(plain)))
  const rest = Array.from({ length: Math.max(0, count - attacks.length) }, (_, index) => {
    const kind = chance()
    if (kind < 0.1) return jsonOf(message(index))
    if (kind < 0.85) return jsonOf(mutation(message(index), chance, false))
    if (kind < 0.9) return jsonOf(values[index % values.length])
    if (kind < 0.95) return jsonOf(pick(HOSTILE_VALUES, chance))
    return pick(TEXT_ATTACKS, chance)(jsonOf(message(index)))
  })
  return [...attacks, ...rest]
}
