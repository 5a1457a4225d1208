/**
 * An element: its text, or its children by name, without prefixes; several of one name are a list. The type that it names (`xsi:type`) is the member {@link SOAP_TYPE}.
 */
export type SoapElement = Readonly<Record<string, unknown>>

/** Member with the name of an element's type, without its prefix. */
export const SOAP_TYPE = '@type'
