const MAX_NAME = 255

/**
 * The label that a buyer gives a media buy, for people (AdCP 3.2 create_media_buy and update_media_buy, `name`). Requests of earlier releases may carry it
 * too; their schemas do not check it, so that anything but a text of at most 255 characters is left out.
 */
export function namedIn(request: object): { readonly name?: string } {
  const { name }: { name?: unknown } = request
  return typeof name === 'string' && name.length <= MAX_NAME ? { name } : {}
}
