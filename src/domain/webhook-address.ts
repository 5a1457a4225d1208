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

/** A part of a path that is as long as a secret, and no word. */
const SECRET_PART = /^(?=.{16,}$)(?=.*[A-Za-z])(?=.*(?:\d|[a-z][A-Z]|[A-Z][a-z]))[\w.~%@+=-]+$/
/** Before what is hidden of a path: an address that may be called has no fragment, so that no query begins so. */
const PATH = '#'

/**
 * The parts of an address of a subscriber, whose receivers put secrets into the path too (`https://hooks.example/services/T0/B0/…`): such parts are shown as `…`, and
 * the hidden text is the whole path with the query.
 */
export function subscriberParts(url: string): AddressParts {
  const { shown, query } = addressParts(url)
  const { origin, path } = pathOf(shown)
  const masked = path
    .split('/')
    .map((part) => (SECRET_PART.test(part) ? '…' : part))
    .join('/')
  if (masked === path) return { shown, query }
  return { shown: origin + masked, query: PATH + path + (query === undefined ? '' : `?${query}`) }
}

/** The whole address of its parts. */
export function joinAddress({ shown, query }: AddressParts): string {
  if (query === undefined) return shown
  return query.startsWith(PATH) ? pathOf(shown).origin + query.slice(PATH.length) : `${shown}?${query}`
}

function pathOf(shown: string): { readonly origin: string; readonly path: string } {
  const at = shown.indexOf('/', shown.indexOf('//') + 2)
  return at === -1 ? { origin: shown, path: '' } : { origin: shown.slice(0, at), path: shown.slice(at) }
}

/** An address as answers, lists, logs and stored requests show it. */
export function withoutQuery(url: string): string {
  return addressParts(url).shown
}
