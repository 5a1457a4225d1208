import { addressParts } from '../../domain/webhook/webhook-address.ts'
import type { SecretBox } from './secret-box.ts'

/** The address of a webhook as it is stored: the query sealed, since receivers put secrets there. */
export interface SealedAddress {
  /** Without the query. */
  readonly url: string
  /** Sealed; undefined without one. */
  readonly query: string | undefined
}

/** `place` names the row, so that the query opens nowhere else. */
export function sealAddress(box: SecretBox, url: string, place: string): SealedAddress {
  const { shown, query } = addressParts(url)
  return { url: shown, query: query === undefined ? undefined : box.seal(query, place) }
}

/** The whole address, to call it. Throws SealBroken when it was sealed elsewhere or under a secret that is not known. */
export function openAddress(box: SecretBox, { url, query }: SealedAddress, place: string): string {
  return query === undefined ? url : `${url}?${box.open(query, place)}`
}
