/** Compares texts by their UTF-8 bytes, as signed lists are ordered (Trusted Match specification, "Identity Match signed fields"). */
export function byUtf8Bytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
