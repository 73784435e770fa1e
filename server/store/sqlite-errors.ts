const busyErrorCode = 5;
/** Of locks (SQLITE_IOERR_LOCK) and of shared memory (SHMOPEN, SHMSIZE, SHMLOCK, SHMMAP). */
const sharingErrorCodes = [3850, 4618, 4874, 5130, 5386];

const codeOf = (error: unknown) => (error as { errcode?: number }).errcode ?? 0;

export const primaryCode = (error: unknown) => codeOf(error) % 256;

export const isBusy = (error: unknown) => primaryCode(error) === busyErrorCode;

/** Returns whether the file system lacks what processes need to share a database. */
export const isSharingError = (error: unknown) => sharingErrorCodes.includes(codeOf(error));
