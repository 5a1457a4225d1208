/** A JSON object whose members are not known. */
export type JsonObject = Readonly<Record<string, unknown>>
