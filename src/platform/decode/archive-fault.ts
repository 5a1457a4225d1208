/** A file given as a source of schemas that is not one, is damaged, or holds what cannot be used. The message is for the person who gave the file. */
export class ArchiveFault extends Error {
  override readonly name = 'ArchiveFault'
}
