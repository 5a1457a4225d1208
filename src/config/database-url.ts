/** A connection string without user, password and parameters (`password=` and `sslkey=` may be among them). */
export function redactedDatabase(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
