/** An address of a webhook in two parts: what is shown of it, and what follows the `?`, where receivers put secrets. */
export interface AddressParts {
  readonly shown: string
  readonly query: string | undefined
}

/** The parts of an address that may be called: it has no fragment and no user information. */
export function addressParts(url: string): AddressParts {
  const at = url.indexOf('?')
  return at === -1 ? { shown: url, query: undefined } : { shown: url.slice(0, at), query: url.slice(at + 1) }
}

/** An address as answers, lists, logs and stored requests show it. */
export function withoutQuery(url: string): string {
  return addressParts(url).shown
}
