import { type AddressParts, addressParts, joinAddress, subscriberParts } from '../../domain/webhook-address.ts'
import { SealBroken, type SecretBox } from './secret-box.ts'

/** The address of a webhook as it is stored: the query sealed, since receivers put secrets there. */
export interface SealedAddress {
  /** Without what is sealed. */
  readonly url: string
  /** Sealed; undefined without one. */
  readonly query: string | undefined
}

/** `place` names the row, so that the query opens nowhere else. */
export function sealAddress(box: SecretBox, url: string, place: string): SealedAddress {
  return sealed(box, addressParts(url), place)
}

/** The same of a subscriber, whose path may hold a secret too. */
export function sealSubscriber(box: SecretBox, url: string, place: string): SealedAddress {
  return sealed(box, subscriberParts(url), place)
}

function sealed(box: SecretBox, { shown, query }: AddressParts, place: string): SealedAddress {
  return { url: shown, query: query === undefined ? undefined : box.seal(query, place) }
}

/** The whole address, to call it. Throws SealBroken when it was sealed elsewhere or under a secret that is not known. */
export function openAddress(box: SecretBox, { url, query }: SealedAddress, place: string): string {
  return joinAddress({ shown: url, query: query === undefined ? undefined : box.open(query, place) })
}

/** What seals the addresses of a store from before they were sealed. */
export function addressSeals(box: SecretBox) {
  return {
    address: (url: string, place: string) => sealAddress(box, url, place),
    subscriber: (url: string, place: string) => sealSubscriber(box, url, place),
    open: (address: SealedAddress, place: string) => unlessBroken(() => openAddress(box, address, place)),
  }
}

/** Undefined for what was sealed elsewhere, or under a secret that is not known. */
export function unlessBroken<T>(open: () => T): T | undefined {
  try {
    return open()
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}
