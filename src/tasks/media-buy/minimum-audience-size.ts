/** Matched members that an audience needs before it can be targeted; none, where official stories upload two or three people whom nobody knows (`--conformance`). */
export function minimumAudienceSize({
  principal,
  services,
}: {
  readonly principal: { readonly conformance?: boolean | undefined } | undefined
  readonly services: { readonly wiring: { readonly minimumAudienceSize: number } }
}): number {
  return principal?.conformance ? 0 : services.wiring.minimumAudienceSize
}
