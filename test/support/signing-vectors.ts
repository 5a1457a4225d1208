import { type PublishedJwk, readJwks } from '../../src/security/signing/jwk.ts'
import { type KeySource, registeredKeys } from '../../src/security/signing/keys.ts'
import { AGENT_URL, type Vector } from './installed-vectors.ts'

/** Vectors of a folder (`positive/`), each with the name of its file as id. */
export function vectorsIn(files: ReadonlyMap<string, unknown>, folder: string): Vector[] {
  return [...files].flatMap(([path, value]) => {
    const inside = path.startsWith(folder) ? path.slice(folder.length) : '/'
    return inside.includes('/') ? [] : [{ ...(value as Omit<Vector, 'id'>), id: inside.replace('.json', '') }]
  })
}

/** The keys that a vector says the verifier knows. */
export function vectorKeys(vector: Vector, files: ReadonlyMap<string, unknown>): KeySource {
  const override = vector.jwks_override
  if (override)
    return registeredKeys(AGENT_URL, readJwks('keys' in override ? override : { keys: Object.values(override) }) ?? [])
  const { keys } = files.get('keys.json') as { keys: PublishedJwk[] }
  return registeredKeys(AGENT_URL, readJwks({ keys: keys.filter(({ kid }) => vector.jwks_ref?.includes(kid)) }) ?? [])
}
