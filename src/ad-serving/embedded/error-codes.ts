/** Errors of players (VAST 4.2, 2.3.6.3). Macros of older players give the same codes. */
const MEANINGS: Readonly<Record<string, string>> = {
  100: 'XML parsing error',
  101: 'VAST schema validation error',
  102: 'VAST version of the response not supported',
  200: 'ad of a kind that the player does not expect',
  201: 'player expects different linearity',
  202: 'player expects a different duration',
  203: 'player expects a different size',
  204: 'ad category is required and not there',
  205: 'ad category is blocked in the inventory',
  206: 'ad break is shortened, and the ad not played',
  300: 'general error of a wrapper',
  301: 'time-out of the address of a wrapper',
  302: 'more wrappers than the player follows',
  303: 'no VAST response after one or more wrappers',
  304: 'ad unit is not shown in time',
  400: 'general error of a linear ad',
  401: 'file not found',
  402: 'time-out of the media file',
  403: 'no media file that the player supports',
  405: 'problem showing the media file',
  406: 'mezzanine is required and not there',
  407: 'mezzanine is being downloaded for the first time',
  408: 'conditional ad is rejected',
  409: 'interactive unit of the interactive creative file is not run',
  410: 'verification unit is not run',
  411: 'mezzanine does not meet the required specification',
  500: 'general error of a non-linear ad',
  501: 'non-linear ad does not fit its place',
  502: 'resource of a non-linear ad cannot be fetched',
  503: 'no resource of a non-linear ad that the player supports',
  600: 'general error of companion ads',
  601: 'companion does not fit its place',
  602: 'required companion cannot be shown',
  603: 'resource of a companion cannot be fetched',
  604: 'no resource of a companion that the player supports',
  900: 'undefined error',
  901: 'general error of VPAID',
}

const UNDEFINED = '900'
const PREFIX = 'error.'

/**
 * The kind that an error of a player is counted as: `error.405`. A code that is no number from 100 to 999 counts as 900, undefined: a player that does not fill in the macro
 * sends its name.
 */
export function errorKind(code: string | undefined): string {
  return PREFIX + (code !== undefined && /^[1-9]\d\d$/.test(code) ? code : UNDEFINED)
}

/** The code of a kind that is counted, undefined for what is no error. Errors that were counted without a code are undefined ones. */
export function errorCodeOf(kind: string): string | undefined {
  if (kind === 'error') return UNDEFINED
  return kind.startsWith(PREFIX) ? kind.slice(PREFIX.length) : undefined
}

/** What a code says; one that VAST does not define says so. */
export function errorMeaning(code: string): string {
  return MEANINGS[code] ?? 'not defined by VAST 4.2'
}
