import { fontFile } from '../libraries/fonts.ts'
import { fittedText } from './fitted-text.ts'

/** A document of one table: texts above it, the table itself, and texts below. */
export interface TablePages {
  readonly title: string
  /** Two blocks of lines beside each other, the first line of each is its title. */
  readonly blocks: readonly (readonly string[])[]
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly columns: readonly string[]
  /** Columns from this one on are numbers. */
  readonly firstNumber: number
  /** Cells may have several lines. */
  readonly rows: readonly (readonly string[])[]
  /** Sums, the last one in bold. */
  readonly totals: readonly (readonly [name: string, value: string])[]
  readonly below: readonly string[]
  /** At the foot of each page: `{page}` stands for its number, `{of}` for that of the last. */
  readonly pageText: string
  /** BCP 47. */
  readonly language: string
  /** ISO 8601 UTC. */
  readonly madeAt: string
}

type Pdf = InstanceType<Awaited<ReturnType<typeof load>>>
const load = async () => (await import('../libraries/pdf-kit.ts')).PdfDocument

/** Points: A4 has 595 × 842. */
const MARGIN = 50
const WIDTH = 595 - 2 * MARGIN
const BOTTOM = 842 - MARGIN - 20
/** Shares of the width: the first column has what the others leave. */
const NUMBER_WIDTH = 82
const NARROW_WIDTH = 48
const [SMALL, NORMAL, LARGE] = [7.5, 8.5, 16]
const GAP = 4

/** Characters of one cell, fact or line, and of one text below the table: longer ones are cut. */
const MOST_OF_CELL = 1_000
const MOST_OF_TEXT = 4_000

/**
 * The pages of a document as PDF (A4), half a millisecond a row: made in a thread (`writtenPdf`). Letters that the font does not have (Chinese, Arabic …) show as boxes. Texts of more than 1,000 characters (4,000 below the table)
 * are cut, and end in `…`.
 */
export async function tablePdf(given: TablePages): Promise<Uint8Array> {
  const pages = fitted(given)
  const PdfDocument = await load()
  const info = { Title: pages.title, CreationDate: new Date(pages.madeAt) }
  const pdf = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    // None yet: the library opens a file anew for each text whose font it knows by another name already.
    font: '',
    info,
    lang: pages.language,
  })
  pdf.registerFont('plain', fontFile('plain')).registerFont('bold', fontFile('bold'))
  const chunks: Uint8Array[] = []
  pdf.on('data', (chunk: Uint8Array) => chunks.push(chunk))
  const ended = new Promise<void>((resolve, reject) => pdf.on('end', resolve).on('error', reject))
  writeHead(pdf, pages)
  writeTable(pdf, pages)
  writeFoot(pdf, pages)
  const { count } = pdf.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page)
    pdf.page.margins.bottom = 0
    pdf
      .font('plain', SMALL)
      .text(numbered(pages.pageText, page + 1, count), MARGIN, 842 - MARGIN, { width: WIDTH, align: 'right', lineBreak: false })
  }
  pdf.end()
  await ended
  return Buffer.concat(chunks)
}

function numbered(text: string, page: number, of: number): string {
  return text.replace('{page}', String(page)).replace('{of}', String(of))
}

function fitted(pages: TablePages): TablePages {
  const cell = (text: string) => fittedText(text, MOST_OF_CELL)
  const pair = ([name, value]: readonly [string, string]) => [cell(name), cell(value)] as const
  return {
    ...pages,
    title: cell(pages.title),
    blocks: pages.blocks.map((lines) => lines.map(cell)),
    facts: pages.facts.map(pair),
    columns: pages.columns.map(cell),
    rows: pages.rows.map((cells) => cells.map(cell)),
    totals: pages.totals.map(pair),
    below: pages.below.map((text) => fittedText(text, MOST_OF_TEXT)),
  }
}

function writeHead(pdf: Pdf, { title, blocks, facts }: TablePages): void {
  pdf.font('bold', LARGE).text(title, MARGIN, MARGIN, { width: WIDTH })
  const top = pdf.y + 12
  const width = WIDTH / 2 - 10
  let bottom = top
  for (const [index, [label = '', first = '', ...lines]] of blocks.entries()) {
    pdf.font('plain', SMALL).text(label, MARGIN + index * (width + 20), top, { width })
    pdf.font('bold', NORMAL).text(first, { width })
    pdf.font('plain', NORMAL)
    for (const line of lines) pdf.text(line, { width })
    bottom = Math.max(bottom, pdf.y)
  }
  pdf.y = bottom + 12
  for (const [name, value] of facts) writePair(pdf, name, value)
  pdf.y += 10
}

function writePair(pdf: Pdf, name: string, value: string): void {
  const y = pdf.y
  pdf.font('plain', NORMAL).text(name, MARGIN, y, { width: 130 })
  const after = pdf.y
  pdf.text(value, MARGIN + 135, y, { width: WIDTH - 135 })
  pdf.y = Math.max(after, pdf.y)
}

function widthsOf({ columns, firstNumber }: TablePages): readonly number[] {
  const others = columns.slice(1).map((_, index) => (index + 1 < firstNumber ? NARROW_WIDTH : NUMBER_WIDTH))
  return [WIDTH - others.reduce((sum, width) => sum + width, 0), ...others]
}

function writeTable(pdf: Pdf, pages: TablePages): void {
  const widths = widthsOf(pages)
  const head = { cells: pages.columns, height: heightOf(pdf, widths, pages.columns), font: 'bold' }
  writeRow(pdf, pages, widths, head)
  for (const cells of pages.rows) {
    const height = heightOf(pdf, widths, cells)
    if (pdf.y + height > BOTTOM) {
      pdf.addPage()
      pdf.y = MARGIN
      writeRow(pdf, pages, widths, head)
    }
    writeRow(pdf, pages, widths, { cells, height, font: 'plain' })
  }
}

interface Row {
  readonly cells: readonly string[]
  readonly height: number
  readonly font: string
}

function heightOf(pdf: Pdf, widths: readonly number[], cells: readonly string[]): number {
  pdf.font('plain', NORMAL)
  return Math.max(...cells.map((cell, index) => pdf.heightOfString(cell, { width: (widths[index] ?? 0) - GAP }))) + 2 * GAP
}

function writeRow(pdf: Pdf, pages: TablePages, widths: readonly number[], { cells, height, font }: Row): void {
  const top = pdf.y
  let x = MARGIN
  pdf.font(font, NORMAL)
  for (const [index, cell] of cells.entries()) {
    const width = widths[index] ?? 0
    pdf.text(cell, x, top + GAP, { width: width - GAP, align: index < pages.firstNumber ? 'left' : 'right' })
    x += width
  }
  pdf.y = top + height
  pdf
    .moveTo(MARGIN, pdf.y)
    .lineTo(MARGIN + WIDTH, pdf.y)
    .lineWidth(0.5)
    .stroke('#bbbbbb')
}

function writeFoot(pdf: Pdf, { totals, below }: TablePages): void {
  if (pdf.y + totals.length * 14 + 10 > BOTTOM) {
    pdf.addPage()
    pdf.y = MARGIN
  }
  pdf.y += 8
  for (const [index, [name, value]] of totals.entries()) {
    const y = pdf.y
    pdf.font(index === totals.length - 1 ? 'bold' : 'plain', NORMAL)
    pdf.text(name, MARGIN, y, { width: WIDTH - 130, align: 'right' })
    pdf.text(value, MARGIN + WIDTH - 125, y, { width: 125 - GAP, align: 'right' })
    pdf.y = y + 14
  }
  pdf.y += 10
  pdf.font('plain', NORMAL)
  for (const text of below) {
    if (pdf.y + pdf.heightOfString(text, { width: WIDTH }) > BOTTOM) {
      pdf.addPage()
      pdf.y = MARGIN
    }
    pdf.text(text, MARGIN, pdf.y, { width: WIDTH })
    pdf.y += 3
  }
}
