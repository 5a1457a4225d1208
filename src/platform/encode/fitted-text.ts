/** The beginning of a text that is longer than `most` characters (UTF-16 units), which ends in `…`. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A text of at most `most` characters for a page: words of more than 60 characters go on in the next line. */
export function fittedText(text: string, most: number): string {
  return cutText(text, most).replace(LONG_WORD, '$&\n')
}

/** A part of a longer word: the PDF library looks for the place where one breaks in the square of its length. It breaks no line at a no-break space. */
const LONG_WORD = /[^ \t\r\n]{60}(?=[^ \t\r\n])/gu
