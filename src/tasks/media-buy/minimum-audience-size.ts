/** People whom official stories upload at least. */
const OF_STORIES = 2

/** Matched members that an audience needs before it can be targeted; as few as official stories upload, under `--conformance`. */
export function minimumAudienceSize({
  principal,
  services,
}: {
  readonly principal: { readonly conformance?: boolean | undefined } | undefined
  readonly services: { readonly wiring: { readonly minimumAudienceSize: number } }
}): number {
  const { minimumAudienceSize: wanted } = services.wiring
  return principal?.conformance ? Math.min(OF_STORIES, wanted) : wanted
}
