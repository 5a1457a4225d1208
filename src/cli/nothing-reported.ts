/** What a report of some days prints that has no rows; names `--sandbox` unless it was given. */
export function nothingReported(
  happened: 'delivered' | 'earned',
  { first, last }: { readonly first: string; readonly last: string },
  { sandbox }: { readonly sandbox?: boolean },
): string {
  const days = `nothing was ${happened} from ${first} to ${last}`
  return sandbox ? days : `${days}; --sandbox includes orders of sandbox agents`
}
